export const askHelp = {
	notes: `
The answer goes to stdout, everything else to stderr: tool calls, questions, and
"session: ID", which --session continues. Without a terminal, calls that require
approval are denied, except with -y.

Text from a pipe or a file on stdin is appended to the message. Use < /dev/null
in a loop that reads stdin itself.

Examples:
  git diff | parley ask "Review this change"
  parley ask -c "And the tests?"
  parley ask -p "Which Node.js does this project need?" > answer.txt

Images from --file are shown to the model; other files are stored in the
working directory of the session, below attachments/.

--json, or --output-format stream, writes one JSON object per line instead. The
lines are the event frames of the session, as the gateway sends them. The last
line is {"session_id", "content", "error", "model", "usage", "cost_usd"}. Its
last three fields are null if no model was called. --output-format json writes
only this last object.

Exit codes:
  0    if the run succeeded
  3    if it succeeded, but a question or an approval could not be answered
  1    if it failed
  2    for an invalid command line
  130  after Ctrl-C
`,
	description: "send one message and print the answer",
	message: "the message; - reads it from stdin",
	yes: "approve tool calls, except calls that always require approval",
	file: "attach a file; may be repeated",
	print: "print only the answer, and ask no questions",
	outputFormat: "text (default), json or stream",
	json: "print each event as one line of JSON",
} as const;
