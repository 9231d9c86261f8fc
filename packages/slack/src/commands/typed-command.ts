import type { Room } from "@parley/connector";

/** The one that the manifest registers. */
export const slashCommand = "/parley";

/** What people type for a command of the kit: https://docs.slack.dev/interactivity/implementing-slash-commands */
export function typedCommand(name: string, { thread }: Pick<Room, "thread">): string {
	return thread === undefined ? `${slashCommand} ${name}` : `!${name}`;
}

/** What people are told of places where Slack has no commands; `bot` is what it is called. */
export function aboutCommands(bot: string): string {
	return `Slack has no commands in threads: write them after my name there, such as \`@${bot} !task list\`.`;
}
