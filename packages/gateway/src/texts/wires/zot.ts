/** Errors of the Zot wire. */
export const zotErrorTexts = {
	emptyModel: 'model: "" is not the name of a model; get_models lists the names',
	noSession: "the agent has not joined a session",
	clientRefused: "the client was refused: its first line must be a hello with the token",
	clientDisconnected: "the client has disconnected or does not read: its commands were ended",
	longJson: "is longer than 15 MiB of JSON: shorten it",
	exactNumber: "must be from -(2^53 - 1) to 2^53 - 1: send other numbers as strings",
	trueOrFalse: "true or false",
	unreadable: "cannot be read",
	inputEnded: "the client's input has ended",
	disconnected: "the client has disconnected or does not read",
	stopped: "the process was asked to end",
	noQuestions:
		"a client of Zot cannot answer questions: it can only approve or deny tool calls; continue without an answer",
	emptyMessage: "message: the message is empty: write text or add an image",
	noWaitingPrompt: ({ id }: { readonly id: string }) =>
		`no waiting prompt has the id ${id}: use an id from the response to queue`,
	longLine: "longer than 16 MiB",
	notUtf8: "not UTF-8",
	lineSkipped: ({ reason, bytes }: { readonly reason: string; readonly bytes: number }) =>
		`the line is ${reason} (${bytes} bytes), and was skipped: send UTF-8 lines of at most 16 MiB`,
	refusedByModel: "the model refused to answer this message: rephrase the message, or choose another model",
	approvalRequired: ({ reason }: { readonly reason: string }) =>
		`this call always requires approval${reason === "" ? "" : ` (${reason})`}, and this client does not answer approvals: start with --rpc-approvals`,
	notRun: ({ reason }: { readonly reason: string }) => `not run: ${reason || "the prompt has ended"}`,
	object: "an object",
	missing: "is missing: add this field",
	mustBe: ({ form }: { readonly form: string }) => `must be ${form}`,
	textOrNumber: "must be a string or a number",
	oneOf: ({ names }: { readonly names: string }) => `must be one of ${names}`,
	longText: ({ max }: { readonly max: string }) => `is too long: use at most ${max} characters`,
} as const;
