import type { Control } from "@parley/connector";
import { expect, test } from "vitest";
import { limits } from "../vocabulary/limits.ts";
import { checkMessage } from "./check-message.ts";
import { controlBlocks, linksAsText } from "./controls.ts";

const button: Control = { type: "button", id: "b", label: "Allow :x:", style: "success" };
const link: Control = { type: "link", url: "https://a.example", label: "Open" };
const option = { value: "v", label: "One", description: "", chosen: true };
const choice: Control = {
	type: "choice",
	id: "c",
	placeholder: "Pick",
	options: [option],
	least: 1,
	most: 1,
};

function plain(text: string) {
	return { type: "plain_text", text, emoji: false };
}

test("controls keep their rows; links have ids of their own", () => {
	const one = { text: plain("One"), value: "v" };
	expect(controlBlocks([[button, link], [choice], [link]])).toEqual([
		{
			type: "actions",
			elements: [
				{ type: "button", action_id: "b", style: "primary", text: plain("Allow :x:") },
				{ type: "button", action_id: "link:1", url: "https://a.example", text: plain("Open") },
			],
		},
		{
			type: "actions",
			elements: [
				{
					type: "static_select",
					action_id: "c",
					placeholder: plain("Pick"),
					options: [one],
					initial_option: one,
				},
			],
		},
		{
			type: "actions",
			elements: [{ type: "button", action_id: "link:2", url: "https://a.example", text: plain("Open") }],
		},
	]);
});

test("several are chosen in another menu, and not more than there are", () => {
	const options = ["v", "w"].map((value) => ({ value, label: "", description: "d", chosen: value === "w" }));
	const [row] = controlBlocks([[{ ...choice, placeholder: "", options, most: 9 }]]);
	expect(row?.elements).toEqual([
		{
			type: "multi_static_select",
			action_id: "c",
			max_selected_items: 2,
			options: ["v", "w"].map((value) => ({ value, text: plain(value), description: plain("d") })),
			initial_options: [{ value: "w", text: plain("w"), description: plain("d") }],
		},
	]);
});

const long = "x".repeat(4000);

test.each<[string, Control]>([
	["a button", { ...button, label: long }],
	["a choice", { ...choice, placeholder: long, options: [{ ...option, label: long, description: long }] }],
	[
		"many options",
		{ ...choice, options: Array.from({ length: 300 }, (_, n) => ({ ...option, value: `${n}` })) },
	],
])("%s beyond the limit is cut", (_name, control) => {
	expect(checkMessage({ blocks: controlBlocks([[control]]), text: "a" })).toEqual({});
});

test.each<[string, Control[]]>([
	["id", [{ ...button, id: long }]],
	["id", [button, button]],
	["link", [{ ...link, url: "javascript:alert(1)" }]],
	["link", [{ ...link, url: `https://a.example/${long}` }]],
	["value", [{ ...choice, options: [{ ...option, value: "x".repeat(limits.optionValue + 1) }] }]],
	["value", [{ ...choice, options: [option, option] }]],
	["too many", Array.from({ length: 26 }, (_, n) => ({ ...button, id: `b${n}` }))],
])("a wrong %s is refused before it leaves", (words, row) => {
	expect(checkMessage({ blocks: controlBlocks([row]), text: "a" }).controls).toContain(words);
});

test("links are written as text if controls cannot be shown", () => {
	expect(linksAsText([[button], [link]])).toBe("\n\nOpen: <https://a.example>");
});
