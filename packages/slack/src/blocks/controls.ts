import { defined, definedItems } from "@parley/base";
import { type Control, cutText } from "@parley/connector";
import type {
	ActionsBlock,
	Button,
	ContextActionsBlock,
	FeedbackButtons,
	MultiStaticSelect,
	PlainTextElement,
	PlainTextOption,
	StaticSelect,
} from "@slack/types";
import { limits } from "../vocabulary/limits.ts";

/** Slack's styles by the style of a control. Besides the default, Slack has only a green and a red style. */
const styles = { primary: "primary", success: "primary", danger: "danger", secondary: undefined } as const;

type Element = Button | StaticSelect | MultiStaticSelect;

export type ControlBlock = ActionsBlock | ContextActionsBlock;
type ButtonControl = Extract<Control, { type: "button" }>;

/**
 * Converts each row to at most two blocks: its native feedback buttons, and its other controls. Handlers ignore the
 * id of a link, `link:N`.
 */
export function controlBlocks(rows: readonly (readonly Control[])[]): ControlBlock[] {
	let links = 0;
	return rows.flatMap((row) => {
		const feedback = feedbackOf(row);
		const others = row.filter((control) => !feedback?.pair.includes(control));
		const elements = others.map((control) => {
			if (control.type === "link") links += 1;
			return elementOf(control, links);
		});
		return definedItems([
			feedback?.block,
			elements.length === 0 ? undefined : { type: "actions" as const, elements },
		]);
	});
}

/** Converts controls to blocks without native feedback buttons. */
export function plainControlBlocks(rows: readonly (readonly Control[])[]): ControlBlock[] {
	return controlBlocks(rows.map((row) => row.map(withoutRating)));
}

function withoutRating(control: Control): Control {
	if (control.type !== "button") return control;
	const { rates: _, ...button } = control;
	return button;
}

/**
 * Returns the buttons of `row` for a good and a bad rating, and the block that shows both buttons. Returns undefined
 * if one of these buttons is missing:
 * https://docs.slack.dev/reference/block-kit/block-elements/feedback-buttons-element
 */
function feedbackOf(
	row: readonly Control[],
): { readonly pair: readonly Control[]; readonly block: ContextActionsBlock } | undefined {
	const buttons = row.filter((control) => control.type === "button");
	const good = buttons.find(({ rates }) => rates === "good");
	const bad = buttons.find(({ rates }) => rates === "bad");
	if (good === undefined || bad === undefined) return undefined;
	const element: FeedbackButtons = {
		type: "feedback_buttons",
		action_id: good.id,
		positive_button: ratingOf(good),
		negative_button: ratingOf(bad),
	};
	return { pair: [good, bad], block: { type: "context_actions", elements: [element] } };
}

function ratingOf({ id, label }: ButtonControl): FeedbackButtons["positive_button"] {
	return { text: plain(label, limits.buttonText), value: id };
}

/** Returns the links among the controls as lines of a body. */
export function linksAsText(rows: readonly (readonly Control[])[]): string {
	const links = rows.flat().filter((control) => control.type === "link");
	return links.map(({ label, url }) => `\n\n${label.replace(/[[\]\\<>&]/g, " ")}: <${url}>`).join("");
}

function elementOf(control: Control, link: number): Element {
	switch (control.type) {
		case "button": {
			const style = styles[control.style];
			const text = plain(control.label, limits.buttonText);
			return { type: "button", action_id: control.id, text, ...defined({ style }) };
		}
		case "link":
			return {
				type: "button",
				action_id: `link:${link}`,
				url: control.url,
				text: plain(control.label, limits.buttonText),
			};
		case "choice":
			return choiceOf(control);
	}
}

function choiceOf(choice: Extract<Control, { type: "choice" }>): StaticSelect | MultiStaticSelect {
	const given = choice.options.slice(0, limits.options);
	const options = given.map(optionOf);
	const chosen = options.filter((_, index) => given[index]?.chosen);
	const shared = {
		action_id: choice.id,
		options,
		...defined({
			placeholder: choice.placeholder === "" ? undefined : plain(choice.placeholder, limits.placeholder),
		}),
	};
	const maximum = Math.min(choice.maximum, options.length);
	if (choice.maximum <= 1) {
		const [first] = chosen;
		return { type: "static_select", ...shared, ...defined({ initial_option: first }) };
	}
	const initial = chosen.slice(0, maximum);
	return {
		type: "multi_static_select",
		...shared,
		max_selected_items: maximum,
		...defined({ initial_options: initial.length > 0 ? initial : undefined }),
	};
}

function optionOf({
	value,
	label,
	description,
}: Extract<Control, { type: "choice" }>["options"][number]): PlainTextOption {
	return {
		// The value is not shortened, because Slack returns it as the answer.
		value,
		text: plain(label === "" ? value : label, limits.optionText),
		...defined({ description: description === "" ? undefined : plain(description, limits.optionText) }),
	};
}

function plain(text: string, maximum: number): PlainTextElement {
	// With `emoji: false`, Slack shows emoji names unchanged.
	return { type: "plain_text", text: cutText(text, maximum), emoji: false };
}
