import { connectionTexts } from "../../texts/connection.ts";

const { fixes, tokens } = connectionTexts;

/**
 * Describes a permanent refusal of a token, for operators. Returns undefined for temporary errors. `error` is Slack's error code:
 * https://docs.slack.dev/reference/methods/auth.test#errors
 */
export function tokenRefusalText(error: string, token: keyof typeof tokens): string | undefined {
	if (!isPermanent(error)) return undefined;
	const fix = fixes[error];
	return connectionTexts.refused({
		token: tokens[token],
		error,
		fix: typeof fix === "string" ? fix : fix[token],
	});
}

function isPermanent(error: string): error is keyof typeof fixes {
	return Object.hasOwn(fixes, error);
}
