/** Errors and notices of the Roz wire. Some begin with the name of a field. */
export const rozErrorTexts = {
	longText: "is too long: use at most 256 characters",
	longInstructions: "is too long: use at most 200,000 characters",
	manyTexts: "has too many texts: use at most 100",
	smallWindow: ({ least }: { readonly least: number }) => `is too small: use at least ${least} tokens`,
	otherType: "does not have the type of the argument; use a value of this type",
	noArgument: "is not an argument of the call; use only arguments of the call",
	otherLength: "does not have the length of the argument; use a list of this length",
	invalidModifier: ({ problem }: { readonly problem: string }) => `the modifier cannot be used: ${problem}`,
	noHost: ({ host }: { readonly host: string }) =>
		`host_id: the host ${host} is not connected: connect its client with the metadata parley-host-id`,
	longContext: ({ length, max }: { readonly length: number; readonly max: number }) =>
		`project_context: it has ${length} characters together with the system messages of the history; shorten it to at most ${max}`,
	noAgent: ({ agent, known }: { readonly agent: string; readonly known: string }) =>
		`environment_id: there is no agent ${agent}; available: ${known}`,
	empty: "content: it is empty, and there is no context: send a text or a context",
	noImages: ({ model }: { readonly model: string }) =>
		`context: ${model} cannot read images: choose another model, or send the message without the image`,
	sessionDeleted: ({ task }: { readonly task: string }) =>
		`cannot watch the task ${task}: its session was deleted; watch another task`,
	noMode: ({ mode, known }: { readonly mode: string; readonly known: string }) =>
		`ai_mode: ${mode} is not a mode: use ${known}`,
	alreadyStarted: "session already started",
	turnInProgress: "a turn is already in progress",
	idle: "no turn for 10 minutes",
	noActiveTurn: "no turn is in progress for this tool result: send it before its turn ends",
	noSession: "no session is open: send StartSession first",
	turnStarted: "a turn has started",
	toolRunning: "a tool is running",
	toolEnded: "the tool has ended",
} as const;

/** Errors and notices of the Kontekst wire. */
export const kontekstErrorTexts = {
	cut: ({ text, bytes }: { readonly text: string; readonly bytes: number }) =>
		`${text}\n[${bytes} more bytes are not shown here]`,
	hiddenArguments: ({ bytes }: { readonly bytes: number }) => `${bytes} bytes of arguments`,
	longText: "is too long: use at most 4,096 characters",
	noSession: ({ id }: { readonly id: string }) =>
		`session not found: ${id} is not a session id; use an id from \`parley sessions\`, or none for a new session`,
	emptyPrompt: "prompt: it is empty, and no skill is invoked: write a prompt, or invoke a skill",
	invalidAgent: ({ name, reason }: { readonly name: string; readonly reason: string }) =>
		`invalid config for agent ${name}: ${reason}`,
	noAgent: ({ name, names }: { readonly name: string; readonly names: string }) =>
		`agent not found: ${name}; available: ${names}`,
} as const;
