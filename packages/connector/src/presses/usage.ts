import { definedItems, formatUsd, formatUsdLimit } from "@parley/base";
import type { MethodResult } from "@parley/protocol";
import type { Person, Room } from "../platform/inbound-event.ts";
import type { HandlerContext } from "../rooms/handler-context.ts";
import { commandTexts } from "../texts/commands.ts";

const integerFormat = new Intl.NumberFormat("en");

/** Returns the usage and budgets of a session, as Markdown. */
export async function usageOf(
	{ gateway, onBehalf }: HandlerContext,
	{ person, room }: { readonly person: Person; readonly room: Room },
	session: string,
): Promise<string> {
	const params = { session_id: session, by: "model" as const, ...onBehalf(person, room) };
	return usageText(await gateway.request("usage", params));
}

function usageText({ rows, total, budgets }: MethodResult<"usage">): string {
	const { usage: texts } = commandTexts;
	const of = ({ tokens_input, tokens_output, cost_usd }: typeof total): string => {
		const tokens = texts.tokens({
			input: integerFormat.format(tokens_input),
			output: integerFormat.format(tokens_output),
		});
		return `${tokens}, ${formatUsd(cost_usd)}`;
	};
	const lines = rows.map((row) => `- \`${row.model ?? "?"}\`: ${of(row)}`);
	const limits = budgets.flatMap(({ scope, period, spent_usd, limit_usd }) =>
		limit_usd === null
			? []
			: [
					texts.budget({
						scope,
						spent: formatUsd(spent_usd),
						limit: formatUsdLimit(limit_usd),
						period,
					}),
				],
	);
	return definedItems([
		texts.total({ used: of(total), calls: integerFormat.format(total.calls) }),
		lines.length > 1 ? lines.join("\n") : undefined,
		limits.length > 0 ? texts.budgets({ budgets: limits.join("\n") }) : undefined,
	]).join("\n\n");
}
