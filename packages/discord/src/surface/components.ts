import type { Control } from "@parley/connector";
import { cutTo, limits } from "../limits.ts";
import type { Component, ComponentRow } from "./check.ts";

const styles = { primary: 1, secondary: 2, success: 3, danger: 4 } as const;

/** Controls in the rows that Discord has: five buttons each, a choice alone. */
export function componentsOf(rows: readonly (readonly Control[])[]): ComponentRow[] {
	return rows.flatMap(rowsOf);
}

function rowsOf(controls: readonly Control[]): ComponentRow[] {
	const rows: Component[][] = [];
	for (const control of controls) {
		const last = rows.at(-1);
		const fits = last !== undefined && last.length < limits.buttonsPerRow && last[0]?.type === 2;
		if (fits && control.type !== "choice") last.push(componentOf(control));
		else rows.push([componentOf(control)]);
	}
	return rows.map((components) => ({ type: 1, components }));
}

function componentOf(control: Control): Component {
	if (control.type === "choice") return choiceOf(control);
	const label = cutTo(control.label, limits.buttonLabel);
	if (control.type === "link") return { type: 2, style: 5, label, url: control.url };
	return { type: 2, style: styles[control.style], label, custom_id: control.id };
}

function choiceOf(choice: Extract<Control, { type: "choice" }>): Component {
	const options = choice.options.slice(0, limits.options).map(({ value, label, description, chosen }) => ({
		// A value is what comes back: half of one would mean something else.
		...{ value, label: cutTo(label === "" ? value : label, limits.optionText), default: chosen },
		...(description !== "" && { description: cutTo(description, limits.optionText) }),
	}));
	const most = Math.min(choice.most, options.length);
	return {
		...{ type: 3, custom_id: choice.id, options, max_values: most, min_values: Math.min(choice.least, most) },
		...(choice.placeholder !== "" && { placeholder: cutTo(choice.placeholder, limits.placeholder) }),
	};
}

/** What can be opened of controls that Discord does not take, as lines of text. */
export function linksAsText(rows: readonly (readonly Control[])[]): string {
	const links = rows.flat().filter((control) => control.type === "link");
	return links.map(({ label, url }) => `\n${label}: <${url}>`).join("");
}
