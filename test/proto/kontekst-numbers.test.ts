import { expect, test } from "vitest";
import { messagesOf } from "./descriptors.ts";

/** Field numbers with which existing clients were compiled. A type follows the number unless it is `string`. */
const numbers = {
	GetStatusRequest: "",
	GetStatusResponse:
		"bind=1 endpoint=2 model_dir=4 llama_server_healthy=6:bool llama_server_running=7:bool llama_server_pid=8:int32 uptime_seconds=9:int64 started_at_rfc3339=10 data_dir=11",
	ShutdownRequest: "",
	ShutdownResponse: "message=1",
	RunCommand:
		"start=1:StartRunCommand approve_tool=2:ApproveToolCommand deny_tool=3:DenyToolCommand cancel=6:CancelRunCommand",
	StartRunCommand: "prompt=1 session_id=2 agent_name=3 working_dir=4 skill=5:SkillInvocation",
	SkillInvocation: "name=1 arguments=2",
	ApproveToolCommand: "call_id=1",
	DenyToolCommand: "call_id=1 reason=2",
	CancelRunCommand: "",
	RunEvent:
		"started=1:RunStartedEvent token=2:TokenDeltaEvent reasoning=3:ReasoningDeltaEvent turn_completed=4:TurnCompletedEvent tools_proposed=5:ToolsProposedEvent tool_started=6:ToolExecutionStartedEvent tool_completed=7:ToolExecutionCompletedEvent tool_failed=8:ToolExecutionFailedEvent tools_completed=9:ToolsCompletedEvent completed=10:RunCompletedEvent cancelled=11:RunCancelledEvent failed=12:RunFailedEvent context_snapshot=13:ContextSnapshotEvent",
	RunStartedEvent: "run_id=1 session_id=2 agent_name=3",
	TokenDeltaEvent: "text=1",
	ReasoningDeltaEvent: "text=1",
	TurnCompletedEvent: "content=1 reasoning=2 context=3:ContextSnapshot",
	ToolsProposedEvent: "calls=1:ProposedToolCall*",
	ProposedToolCall: "call_id=1 name=2 arguments_json=3 preview=4",
	ToolExecutionStartedEvent: "call_id=1",
	ToolExecutionCompletedEvent: "call_id=1 output=2",
	ToolExecutionFailedEvent: "call_id=1 error=2",
	ToolsCompletedEvent: "",
	RunCompletedEvent: "run_id=1 content=2 reasoning=3",
	RunCancelledEvent: "run_id=1",
	RunFailedEvent: "run_id=1 error=2",
	ContextSnapshot:
		"context_size=1:int32 system_tokens=2:int32 history_tokens=3:int32 memory_tokens=4:int32 total_tokens=5:int32 remaining_tokens=6:int32 history_messages=7:int32 memory_messages=8:int32 total_messages=9:int32 history_budget=10:int32 messages=11:MessageStats* tool_tokens=12:int32",
	MessageStats: "role=1 tokens=2:int32 source=3",
	ContextSnapshotEvent: "context=1:ContextSnapshot",
} as const;

const messages = messagesOf("kontekst.proto");

test("every message has the fields, numbers and types of existing clients", () => {
	expect(Object.fromEntries(messages.map(({ name, fields }) => [name, fields]))).toEqual(numbers);
});

test("numbers of older schemas are reserved", () => {
	const reserved = messages.flatMap(({ name, reserved: numbersOf }) =>
		numbersOf.map((start) => [name, start]),
	);
	expect(reserved).toEqual([
		["RunCommand", 4],
		["RunCommand", 5],
		["GetStatusResponse", 3],
		["GetStatusResponse", 5],
	]);
});
