import { expect, test } from "vitest";
import { messagesOf } from "./descriptors.ts";

/** Field numbers with which existing clients were compiled. A type follows the number unless it is `string`. */
const numbers = {
	SessionRequest:
		"start=1:StartSession user_message=2:UserMessage tool_result=3:ToolResult cancel_turn=4:CancelTurn cancel_session=5:CancelSession ping=6:Ping feedback=7:MessageFeedback permission_decision=8:PermissionDecision register_tools=9:RegisterTools",
	StartSession:
		"environment_id=1 host_id=2? model=3? tools=4:ToolSchema* history=5:ConversationMessage* project_context=6* max_context_tokens=7:uint32?",
	ConversationMessage: "role=1 parts=2:ContentPart*",
	ContentPart:
		"text=1:TextContent tool_use=2:ToolUseContent tool_result=3:ToolResultContent thinking=4:ThinkingContent image=5:ImageContent",
	TextContent: "text=1",
	ToolUseContent: "id=1 name=2 input=3:Struct",
	ToolResultContent: "tool_use_id=1 name=2 content=3 is_error=4:bool",
	ThinkingContent: "thinking=1 signature=2",
	ImageContent: "media_type=1 data=2:bytes",
	UserMessage:
		"content=1 context=2:ContentBlock* ai_mode=3? message_id=4? tools=5:ToolSchema* system_context=6?",
	ContentBlock: "text=1 binary=2:BinaryContent label=3?",
	BinaryContent: "mime_type=1 data=2:bytes",
	ToolResult:
		"tool_call_id=1 success=2:bool result=3 exit_code=4:int32? truncated=5:bool duration_ms=6:int64?",
	CancelTurn: "reason=1",
	CancelSession: "reason=1",
	Ping: "",
	MessageFeedback: "session_id=1 message_id=2 rating=3",
	PermissionDecision: "tool_call_id=1 approved=2:bool modifier=3:Struct",
	RegisterTools: "source=1? tools=2:ToolSchema* system_context=3?",
	SessionResponse:
		"session_started=1:SessionStarted text_delta=2:TextDelta thinking_delta=3:ThinkingDelta tool_request=4:ToolRequest turn_complete=5:TurnComplete error=6:SessionError keepalive=7:Keepalive pong=8:Pong context_compacted=9:ContextCompacted presence_hint=10:PresenceHint activity_update=11:ActivityUpdate",
	ContextCompacted:
		"level=1 messages_before=2:uint32 messages_after=3:uint32 tokens_before=4:uint32 tokens_after=5:uint32 summary=6?",
	SessionStarted: "session_id=1 model=2 permissions=3:PermissionRule*",
	PermissionRule: "tool_pattern=1 policy=2 category=3? reason=4?",
	TextDelta: "message_id=1 content=2",
	ThinkingDelta: "message_id=1 content=2",
	ToolRequest: "tool_call_id=1 tool_name=2 parameters=3:Struct timeout_ms=4:uint32",
	TurnComplete: "message_id=1 usage=2:TokenUsage stop_reason=3",
	SessionError: "code=1 message=2 retryable=3:bool",
	Keepalive: "tokens_used=1:uint32? tokens_max=2:uint32?",
	Pong: "",
	PresenceHint: "level=1 reason=2",
	ActivityUpdate: "state=1 detail=2 progress=3:float?",
	TokenUsage:
		"input_tokens=1:uint32 output_tokens=2:uint32 cache_read_tokens=3:uint32 cache_creation_tokens=4:uint32",
	ToolSchema:
		"name=1 description=2 parameters_schema=3:Struct timeout_ms=4:uint32 category=5:ToolCategoryHint",
	WatchTeamRequest: "task_id=1",
	TeamEvent:
		"worker_started=1:WorkerStarted worker_phase=2:WorkerPhase worker_tool_call=3:WorkerToolCall worker_completed=4:WorkerCompleted worker_failed=5:WorkerFailed worker_exited=6:WorkerExited",
	WorkerStarted: "worker_id=1 host_id=2",
	WorkerPhase: "worker_id=1 phase=2:uint32 mode=3",
	WorkerToolCall: "worker_id=1 tool=2",
	WorkerCompleted: "worker_id=1 result=2",
	WorkerFailed: "worker_id=1 reason=2",
	WorkerExited: "worker_id=1 parent_task_id=2",
} as const;

const messages = messagesOf("roz/v1/agent.proto");

test("every message has the fields, numbers and types of existing clients", () => {
	expect(Object.fromEntries(messages.map(({ name, fields }) => [name, fields]))).toEqual(numbers);
});

test("numbers that later clients use for other messages are reserved", () => {
	const reserved = messages.flatMap(({ name, reserved: ranges }) => ranges.map((start) => [name, start]));
	expect(reserved).toEqual([["SessionResponse", 12]]);
});
