/** Events that chats do not display, with the reason. */
export const notDisplayed: Readonly<Record<string, string>> = {
	"session.created": "the first message of a channel creates its session",
	"session.closed": "no client is connected, and the next message opens the session again",
	"assistant.started": "a status shows that the agent works",
	"assistant.thinking": "chats show results, not thinking",
	"tool.output": "chats show the result of a call",
	"tool.arguments": "chats show a call when it is complete",
	"usage.updated": "`/usage` shows it",
	"context.compacted": "the answer does not depend on it",
	"command.started": "the call that starts a command is in the chat, and `/session info` shows the command",
	"command.ended": "`/session commands` shows it, and the agent learns it with the next message",
	"skill.started": "the message that starts a skill is in the chat",
	"skill.step.started": "each step is a task, and chats display tasks",
	"skill.step.completed": "each step is a task, and chats display tasks",
	"skill.completed": "the answer of the run has the result",
};
