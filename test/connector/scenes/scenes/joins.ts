import type { Scene } from "../step.ts";

export const joins: readonly Scene[] = [
	{
		name: "two messages in direct messages are one request",
		joins: true,
		steps: [
			{
				together: [
					{ says: "say: one", in: "dm" },
					{ says: "and two", in: "dm" },
				],
			},
			{ shows: "[offline] one", in: "dm", to: "Mia" },
			{ shows: "[offline]", in: "dm", to: "Mia", times: 1 },
			{ says: "say: three", in: "dm" },
			{ shows: "[offline] three", in: "dm", to: "Mia" },
		],
	},
	{
		name: "two mentions in a channel are one request with all files, once",
		joins: true,
		steps: [
			{
				together: [
					{ says: "@Parley say: look", attaches: [{ name: "a.txt", content: "a" }] },
					{ says: "@Parley at both", attaches: [{ name: "b.txt", content: "b" }] },
				],
			},
			{ shows: "[offline] look" },
			{ restarts: "connector" },
			{ shows: "[offline]", times: 1 },
		],
	},
	{
		name: "a command and a message of another person are not joined",
		joins: true,
		steps: [
			{
				together: [
					{ says: "@Parley say: mine" },
					{ says: "@Parley !help" },
					{ says: "@Parley say: yours", by: "Max" },
				],
			},
			{ shows: "[offline] mine" },
			{ shows: "[offline] yours" },
			{ shows: "Write to me in a direct message" },
		],
	},
];
