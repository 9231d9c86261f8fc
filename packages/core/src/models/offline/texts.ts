/** Help for one command of the offline model: the example text after the colon, and the meaning. */
interface CommandTexts {
	readonly example: string;
	/** Meaning of the command, at most 40 characters. */
	readonly meaning: string;
}

/** Help texts of the commands, in the order in which the help lists the commands. Key: the command word. */
export const offlineCommandTexts = {
	say: { example: "good morning", meaning: "answers with the text" },
	think: { example: "first things first", meaning: "shows the text as thinking" },
	run: { example: "git status", meaning: "runs a command" },
	start: { example: "npm run dev", meaning: "starts a command in the background" },
	output: { example: "1", meaning: "waits for output of command 1" },
	stop: { example: "1", meaning: "stops command 1" },
	read: { example: "README.md", meaning: "reads a file" },
	write: { example: "notes.txt <<< one\\ntwo", meaning: "writes a file; \\n is a new line" },
	edit: { example: "notes.txt <<< one >>> two", meaning: "replaces text in a file" },
	list: { example: "**/*.md", meaning: "lists files by pattern or directory" },
	search: { example: "TODO in src", meaning: 'searches files; "in src" is optional' },
	git: { example: "log --oneline -5", meaning: "runs a git command" },
	send: { example: "report.pdf", meaning: "sends you a file" },
	fetch: { example: "https://example.org/", meaning: "fetches a web page" },
	web: { example: "tide tables", meaning: "searches the web" },
	tool: { example: 'read_file {"path": "README.md"}', meaning: "calls any tool with JSON arguments" },
	remember: { example: "I like tea", meaning: "stores a note about you" },
	recall: { example: "tea", meaning: "finds notes by words" },
	notes: { example: "all", meaning: "lists all notes, or those of one scope" },
	forget: { example: "mem_4k2x", meaning: "deletes a note" },
	schedule: { example: "every day at 9:00 <<< Tea", meaning: "sends you a message at given times" },
	schedules: { example: "all", meaning: "lists your schedules" },
	unschedule: { example: "sched_4k2x", meaning: "deletes a schedule" },
	ask: { example: "What is your name?", meaning: "asks a question; you answer with text" },
	choose: { example: "tea | coffee", meaning: "asks you to choose one" },
	pick: { example: "red | green | blue", meaning: "asks you to choose any number" },
	secret: { example: "API key", meaning: "asks for a password, which stays hidden" },
	todo: { example: "x look | > change | test", meaning: "keeps a list of steps: x done, > active" },
	plan: { example: "x look | > change | test", meaning: "does the same as todo" },
	skill: { example: "deploy main", meaning: "starts a skill with arguments" },
	delegate: { example: "Count <<< run: wc notes.txt", meaning: "gives work to a sub-agent" },
	review: { example: "A new table? <<< Two columns.", meaning: "asks people to review a task's plan" },
	spawn: { example: "Count <<< run: wc notes.txt", meaning: "gives a part of a task to a worker" },
	wait: { example: "all", meaning: "waits for all workers of a task" },
	long: { example: "200 tokens at 20 per second", meaning: "streams words; the speed is optional" },
	fail: { example: "out of ideas", meaning: "makes the model call fail" },
} as const satisfies Readonly<Record<string, CommandTexts>>;

/** Reasons why a command cannot be read. */
export const offlineGrammarTexts = {
	notCarriedOut: (word: string, reason: string): string =>
		`"${word}:" was not carried out: ${reason}. Example: \`${word}: ${exampleOf(word)}\``,
	noArgument: "the text after the colon is missing",
	write: "it needs a path, <<< and a text",
	edit: "it needs a path, <<<, the old text, >>> and the new text",
	openQuote: "a quote is not closed",
	noTool: "the name of the tool is missing",
	notObject: "the arguments are not a JSON object",
	emptyOption: "a text between two bars (|) is empty",
	schedule: "it needs a time, <<< and a message",
	review: "it needs a reason, <<< and a plan",
	spawn: "it needs a title, <<< and a description",
	delegate: "it needs a title, <<< and instructions",
	commandNumber: "it needs the number of a command",
	onlyAll: 'the command can only wait for all workers; write "all"',
	long: (max: number): string => `use 1 to ${max} tokens, at 1 or more per second`,
	chooseOne: "Choose one",
	pickAny: "Pick any",
} as const;

function exampleOf(word: string): string {
	return Object.entries(offlineCommandTexts).find(([known]) => known === word)?.[1].example ?? "";
}

/** Text of `parley help offline`, at most 80 columns wide. */
export const offlineHelp = `The offline model: a small assistant inside Parley

It needs no key and no network. It is not a language model: it runs the
commands that you write, always in the same way.

${helpTable()}

Rules
  - A line of your message is a command if it starts with one of these words
    in lower case and a colon. Spaces before the word are ignored, and so are
    other lines. A message without a command gets a short answer.
  - Commands run in the order of their lines. The next reply repeats the
    result of each tool.
  - "& " before a command that calls a tool puts the call into the same reply
    as the call before it, so that you can approve both at the same time:
      run: make build
      & run: make lint
  - In the texts of "write:", "edit:", "review:", "delegate:" and "spawn:", \\n
    is a new line and \\\\ is a backslash.
  - "plan:", "review:", "spawn:" and "wait:" are for the descriptions of tasks,
    which have these tools. "- " before a step marks the step as skipped.
  - "run:", "read:", "write:" and "edit:" call the tools of the session for
    this, also if their names are bash, read, write and edit.
  - "list:" accepts a pattern or a directory. In "git:", quotes keep words
    together.
  - Each four characters count as one token. Tokens cost nothing.
`;

function helpTable(): string {
	const rows = Object.entries(offlineCommandTexts).map(([word, { example, meaning }]) => ({
		example: `${word}: ${example}`,
		meaning,
	}));
	const width = Math.max(...rows.map(({ example }) => example.length));
	return rows.map(({ example, meaning }) => `  ${example.padEnd(width)}  ${meaning}`).join("\n");
}

/** Replies of the offline model. */
export const offlineReplyTexts = {
	/** Label that shows readers that the reply is not from a language model. */
	label: "[offline] ",
	greeting:
		"Hello! I am the offline model. I am not a language model: I run the commands that you write. " +
		"Try `run: echo hi` or `ask: What is your name?`. `parley help offline` lists all commands.",
	done: "Done.",
	unseenImage: "[an image, which the offline model cannot see]",
	failed: (tool: string, result: string): string => `${tool} failed:\n${result}`,
	returned: (tool: string, result: string): string => `${tool} returned:\n${result}`,
	returnedNothing: (tool: string): string => `${tool} returned nothing.`,
	// The summary is one line, so that no line of it is a command.
	summary: (messages: number, beginning: string): string =>
		`A conversation of ${messages} messages that began with: "${beginning}"`,
	notContained: (text: string): string => `the result does not contain ${text}`,
	verdict: "the offline model only checks criteria that begin with contains:",
} as const;
