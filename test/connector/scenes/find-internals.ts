/** Ids of the gateway, such as `sess_…` or `run_…`. */
const id = /\b(?:sess|run|task|call|prompt|grant|file|sched|mem|msg|steer|review)_[0-9a-z]{20,}/u;
/** Ids of people and channels. The offline model repeats a comment of a person as models read it, which is excluded. */
const person = /\b(?:discord|slack):[0-9A-Za-z]+:[0-9A-Za-z]+/u;
/** Permissions of Discord (`SEND_MESSAGES`, `SendMessages`) and scopes of Slack (`chat:write`). */
const permission =
	/\b(?:VIEW|SEND|READ|MANAGE|CREATE|ATTACH|EMBED|ADD|USE)_[A-Z]+(?:_[A-Z]+)*\b|\b(?:View|Send|Read|Manage|Create|Attach|Embed|Add)(?:Channel|Messages|MessageHistory|PublicThreads|PrivateThreads|Files|Links|Reactions|Roles)\b|\b(?:chat|channels|groups|im|mpim|users|files|reactions|app_mentions|assistant|commands):(?:read|write|history|public)\b/u;

/** Lines of posts with something that members of a channel must not see. `directories`: those of the gateway. */
export function findInternals(text: string, directories: readonly string[]): string[] {
	return text
		.split("\n")
		.filter(
			(line) =>
				id.test(line) ||
				(person.test(line) && !/, writes:\]$/u.test(line)) ||
				permission.test(line) ||
				directories.some((directory) => line.includes(directory)),
		);
}
