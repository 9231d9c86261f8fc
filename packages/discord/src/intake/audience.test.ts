import { PermissionFlagsBits } from "discord-api-types/v10";
import { expect, test } from "vitest";
import { audienceOf, type GuildRights, Overwrites } from "./audience.ts";
import { Audiences } from "./audiences.ts";

const { ViewChannel, SendMessages, AddReactions, Administrator } = PermissionFlagsBits;
const both = ViewChannel | SendMessages;

interface Over {
	readonly id: string;
	readonly type?: number;
	readonly allow?: bigint;
	readonly deny?: bigint;
}

function audience(
	roles: Readonly<Record<string, bigint>>,
	overwrites: readonly Over[] = [],
	owner = "9",
): string {
	const none = new Proxy({}, { get: () => () => Promise.reject(new Error("nobody asks")) });
	// The cast is safe because `note` uses none of the fields.
	const audiences = new Audiences(none as ConstructorParameters<typeof Audiences>[0]);
	const roleList = Object.entries(roles).map(([id, permissions]) => ({
		id,
		permissions: String(permissions),
	}));
	// The guild and its default role have the id 1.
	const rights: GuildRights | undefined = audiences.note({ id: "1", owner_id: owner, roles: roleList }, []);
	if (rights === undefined) throw new Error("it was not read");
	const listed = overwrites.map(({ id, type = 0, allow = 0n, deny = 0n }) => ({
		...{ id, type, allow: String(allow), deny: String(deny) },
	}));
	return audienceOf(rights, Overwrites.parse(listed));
}

type Case = [string, Parameters<typeof audience>, Parameters<typeof audience>];

const hidden: Over = { id: "1", deny: ViewChannel };

test.each<Case>([
	["a role that may nothing here", [{ "1": both }], [{ "1": both, "2": AddReactions }]],
	["a role that may what everybody may", [{ "1": both }], [{ "1": both, "2": ViewChannel }]],
	[
		"what a role may elsewhere, where the channel says it of everybody",
		[{ "1": both, "2": 0n }, [hidden]],
		[{ "1": both, "2": ViewChannel }, [hidden]],
	],
	[
		"an overwrite of something else, and of a role that is gone",
		[{ "1": both }],
		[
			{ "1": both },
			[
				{ id: "1", allow: AddReactions },
				{ id: "5", allow: ViewChannel },
			],
		],
	],
	[
		"the order in which it is told",
		[{ "1": 0n, "2": both, "3": ViewChannel }],
		[{ "3": ViewChannel, "2": both, "1": 0n }],
	],
])("%s changes no audience", (_name, one, other) => {
	expect(audience(...one)).toBe(audience(...other));
});

test.each<Case>([
	["everybody may read", [{ "1": 0n }], [{ "1": ViewChannel }]],
	["everybody may write, who could read", [{ "1": ViewChannel }], [{ "1": both }]],
	["everybody may not read", [{ "1": both }], [{ "1": both }, [hidden]]],
	["a role may read", [{ "1": 0n, "2": 0n }], [{ "1": 0n, "2": ViewChannel }]],
	["a role loses the permission", [{ "1": 0n, "2": both }], [{ "1": 0n }]],
	[
		"a role is let in",
		[{ "1": both, "2": 0n }, [hidden]],
		[{ "1": both, "2": 0n }, [hidden, { id: "2", allow: ViewChannel }]],
	],
	[
		"a role may everything",
		[{ "1": both, "2": 0n }, [hidden]],
		[{ "1": both, "2": Administrator }, [hidden]],
	],
	["everybody may everything", [{ "1": both }, [hidden]], [{ "1": Administrator }, [hidden]]],
	[
		"a person is let in",
		[{ "1": both }, [hidden]],
		[{ "1": both }, [hidden, { id: "8", type: 1, allow: ViewChannel }]],
	],
	["somebody else owns it", [{ "1": both }], [{ "1": both }, [], "8"]],
])("an audience has changed if %s", (_name, one, other) => {
	expect(audience(...one)).not.toBe(audience(...other));
});
