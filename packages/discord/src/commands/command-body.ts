import { ApplicationCommandType } from "discord-api-types/v10";
import type { DiscordCommand } from "./discord-command.ts";

type Option = DiscordCommand["options"][number];

/** What a request says of a command; what can change is written even where it is empty, so that it replaces the old. */
export function bodyOf({ type, name, description, options, ...rest }: DiscordCommand): object {
	// Commands of a menu have neither: interactions/application-commands#user-commands
	if (type !== ApplicationCommandType.ChatInput) return { name, ...rest };
	return { name, description, options: options.map(optionBody), ...rest };
}

/** Of an option, what says nothing is left out: most of it is allowed for some types alone. */
function optionBody({ required, autocomplete, choices, options, ...rest }: Option): unknown {
	return {
		...rest,
		...(required && { required }),
		...(autocomplete && { autocomplete }),
		...(choices.length > 0 && { choices }),
		...(options.length > 0 && { options: options.map(optionBody) }),
	};
}
