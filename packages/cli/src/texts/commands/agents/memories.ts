export const memoriesHelp = {
	notes: `
A note is about a chat user, about a channel, or for all chat users. The agent
reads the notes that are relevant to a message. With QUERY, the command lists
the notes that contain any word of QUERY, the most relevant first.

Examples:
  parley memories deploy friday
  parley memories --person slack:T012AB3CD:U024BE7LH
  parley memories add --everyone "Deploys happen on Friday"
  parley memories forget mem_4k2x
  parley memories forget --person slack:T012AB3CD:U024BE7LH
`,
	description: "list notes about people and channels, and notes for all people; add and delete them",
	query: "words to search for",
	scope: "only this scope",
	person: "only notes about this person and notes that they wrote",
	limit: "maximum number of notes",
	list: "the same as `parley memories` without words",
	search: "search for words, also if the first word is the name of a subcommand",
	add: "store a note about you",
	text: "the note",
	everyone: "store a note for all people",
	tag: "tags of the note",
	forget: "delete notes by their ids, or all notes of a person with --person",
	ids: "ids that `parley memories` shows",
} as const;

export const memoriesMessages = {
	noNotes: "no notes",
	noMatches: "no note contains any of these words",
	stored: ({ id }: { readonly id: string }) => `stored ${id}`,
	idsOrPerson: "cannot choose the notes to delete: use either ids, or --person",
	deleted: ({ count }: { readonly count: number }) => `deleted ${count} ${count === 1 ? "note" : "notes"}`,
} as const;
