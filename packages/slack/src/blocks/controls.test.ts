import type { Control } from "@parley/connector";
import { expect, test } from "vitest";
import { limits } from "../vocabulary/limits.ts";
import { checkMessage } from "./check-message.ts";
import { controlBlocks, linksAsText, plainControlBlocks } from "./controls.ts";

const button: Control = { type: "button", id: "b", label: "Allow :x:", style: "success" };
const link: Control = { type: "link", url: "https://a.example", label: "Open" };
const option = { value: "v", label: "One", description: "", chosen: true };
const choice: Control = {
	type: "choice",
	id: "c",
	placeholder: "Pick",
	options: [option],
	minimum: 1,
	maximum: 1,
};

function plain(text: string) {
	return { type: "plain_text", text, emoji: false };
}

test("controls stay in their rows, and links have separate ids", () => {
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

test("several options are chosen in another menu, and not more than exist", () => {
	const options = ["v", "w"].map((value) => ({ value, label: "", description: "d", chosen: value === "w" }));
	const [row] = controlBlocks([[{ ...choice, placeholder: "", options, maximum: 9 }]]);
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

const good: Control = { type: "button", id: "g", label: "Good", style: "secondary", rates: "good" };
const bad: Control = { type: "button", id: "n", label: "Bad", style: "secondary", rates: "bad" };

test("a good and a bad rating are native feedback buttons, and usual buttons if Slack refuses them", () => {
	const usual = (id: string, label: string) => ({ type: "button", action_id: id, text: plain(label) });
	const element = {
		type: "feedback_buttons",
		action_id: "g",
		positive_button: { text: plain("Good"), value: "g" },
		negative_button: { text: plain("Bad"), value: "n" },
	};
	const rest = { type: "actions", elements: [{ ...usual("b", "Allow :x:"), style: "primary" }] };
	const native = { type: "context_actions", elements: [element] };
	expect(controlBlocks([[good, bad, button], [button]])).toEqual([native, rest, rest]);
	expect(controlBlocks([[bad, good]])).toEqual([native]);
	expect(controlBlocks([[good, button]])[0]?.elements).toHaveLength(2);
	expect(plainControlBlocks([[good, bad]])).toEqual([
		{ type: "actions", elements: [usual("g", "Good"), usual("n", "Bad")] },
	]);
});

const long = "x".repeat(4000);

test.each<[string, Control]>([
	["a button", { ...button, label: long }],
	["a rating", { ...good, label: long }],
	["a choice", { ...choice, placeholder: long, options: [{ ...option, label: long, description: long }] }],
	[
		"many options",
		{ ...choice, options: Array.from({ length: 300 }, (_, n) => ({ ...option, value: `${n}` })) },
	],
])("%s beyond the limit is cut", (_name, control) => {
	expect(checkMessage({ blocks: controlBlocks([[control, bad]]), text: "a" })).toEqual({});
});

test.each<[string, Control[]]>([
	["id", [{ ...button, id: long }]],
	["id", [button, button]],
	["id", [{ ...good, id: long }, bad]],
	["id", [good, { ...bad, id: long }]],
	["label", [{ ...good, label: "" }, bad]],
	["link", [{ ...link, url: "javascript:alert(1)" }]],
	["link", [{ ...link, url: `https://a.example/${long}` }]],
	["value", [{ ...choice, options: [{ ...option, value: "x".repeat(limits.optionValue + 1) }] }]],
	["value", [{ ...choice, options: [option, option] }]],
	["26 controls", Array.from({ length: 26 }, (_, n) => ({ ...button, id: `b${n}` }))],
])("an invalid %s is refused before it is sent", (words, row) => {
	expect(checkMessage({ blocks: controlBlocks([row]), text: "a" }).controls).toContain(words);
});

test("links are written as text if controls cannot be shown", () => {
	expect(linksAsText([[button], [link]])).toBe("\n\nOpen: <https://a.example>");
});
