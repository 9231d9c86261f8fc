import { defined } from "@parley/base";
import { expect, test } from "vitest";
import { isForUs, needsFacts, type Reason, usualFacts } from "./is-for-us.ts";

interface Case {
	readonly kind?: "channel" | "direct" | "group";
	readonly bot?: true;
	readonly us?: true;
	readonly others?: true;
	readonly everyone?: true;
	readonly reply?: "ours" | "another's";
	readonly ourThread?: true;
	readonly mention?: "always";
}

function message(of: Case): Parameters<typeof isForUs>[0] {
	const { kind = "channel", bot = false, us = false, others = false, everyone = false, reply } = of;
	return {
		room: { tenant: "guild", channel: "general", shared: false, kind },
		person: { id: "ada", name: "Ada", roles: [], guest: false, bot },
		address: {
			us,
			others,
			everyone,
			...defined({ reply: reply ? { message: "m1", ours: reply === "ours" } : undefined }),
		},
		ourThread: of.ourThread ?? false,
	};
}

const table: readonly (readonly [Case, Reason])[] = [
	[{}, "unaddressed"],
	[{ us: true }, "mention"],
	[{ us: true, others: true }, "mention"],
	[{ us: true, everyone: true }, "mention"],
	[{ everyone: true }, "unaddressed"],
	[{ others: true }, "others"],
	[{ reply: "ours" }, "reply"],
	[{ reply: "ours", others: true }, "reply"],
	[{ reply: "another's" }, "unaddressed"],
	[{ reply: "another's", others: true }, "others"],
	[{ reply: "another's", us: true }, "mention"],
	[{ ourThread: true }, "thread"],
	[{ ourThread: true, others: true }, "others"],
	[{ ourThread: true, others: true, us: true }, "mention"],
	[{ ourThread: true, everyone: true }, "thread"],
	[{ ourThread: true, reply: "another's" }, "thread"],
	[{ ourThread: true, reply: "ours" }, "reply"],
	[{ mention: "always" }, "open"],
	[{ mention: "always", others: true }, "others"],
	[{ mention: "always", others: true, us: true }, "mention"],
	[{ mention: "always", everyone: true }, "open"],
	[{ mention: "always", ourThread: true, others: true }, "others"],
	[{ kind: "direct" }, "direct"],
	[{ kind: "direct", others: true }, "direct"],
	[{ kind: "direct", reply: "another's" }, "direct"],
	[{ kind: "group" }, "unaddressed"],
	[{ kind: "group", us: true }, "mention"],
	[{ kind: "group", mention: "always" }, "open"],
	[{ bot: true }, "bot"],
	[{ bot: true, us: true }, "bot"],
	[{ bot: true, kind: "direct" }, "bot"],
	[{ bot: true, reply: "ours" }, "bot"],
	[{ bot: true, ourThread: true }, "bot"],
	[{ bot: true, mention: "always" }, "bot"],
];

test.each(table)("%j: %s", (of, reason) => {
	const ownReasons: Reason[] = ["direct", "mention", "reply", "thread", "open"];
	const facts = { ...usualFacts, ...defined({ mention: of.mention }) };
	expect(isForUs(message(of), facts)).toEqual({ ours: ownReasons.includes(reason), reason });
});

test.each(table)("%j: the channel settings are requested only if they decide", (of) => {
	const decisions = (["required", "always"] as const).map(
		(mention) => isForUs(message(of), { ...usualFacts, mention }).ours,
	);
	expect(needsFacts(message(of))).toBe(decisions[0] !== decisions[1]);
});
