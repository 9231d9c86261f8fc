import { definedItems } from "@parley/base";
import type { ControlKind } from "../../controls/control-kind.ts";
import type { Control } from "../../platform/posting.ts";
import { approvalTexts } from "../../texts/approvals.ts";
import { questionTexts } from "../../texts/questions.ts";
import type { Scene } from "../vocabulary/reducer.ts";
import { boundSubject, type OpenQuestion, type QuestionOption } from "./question.ts";

type Button = Extract<Control, { type: "button" }>;

/** Splits the enabled options into offered options, which the platform can show, and further options. */
export function offeredOptions(
	{ options }: OpenQuestion,
	limits: Scene["platform"]["limits"],
): { readonly offered: readonly QuestionOption[]; readonly further: readonly QuestionOption[] } {
	const possible = options.filter(({ disabled }) => !disabled);
	return { offered: possible.slice(0, limits.options), further: possible.slice(limits.options) };
}

/**
 * Returns the controls for the answer to a question, in rows. `cut`: whether the card omits a part of the question.
 */
export function questionControls(question: OpenQuestion, scene: Scene, cut: boolean): Control[][] {
	const buttons = buttonsOf(question, scene, cut).map(([kind, label, style]): Button => {
		const subject = approves.has(kind) && question.call ? boundSubject(question) : question.token;
		const id = scene.controls.write({ kind, session: scene.session, subject });
		return { type: "button", id, label: label.slice(0, scene.platform.limits.buttonLabel), style };
	});
	const rows: Control[][] = choiceOf(question, scene);
	const maximum = scene.platform.limits.controlsPerRow;
	for (let first = 0; first < buttons.length; first += maximum)
		rows.push(buttons.slice(first, first + maximum));
	return rows;
}

const approves: ReadonlySet<ControlKind> = new Set(["approve", "approve-session"]);

type ButtonFacts = readonly [kind: ControlKind, label: string, style: Button["style"]];

function buttonsOf(question: OpenQuestion, { platform }: Scene, cut: boolean): ButtonFacts[] {
	const { kind, call, required } = question;
	const detailsButton: ButtonFacts[] = cut ? [["details", approvalTexts.buttons.showAll, "secondary"]] : [];
	const skip: ButtonFacts[] = required ? [] : [["skip", questionTexts.buttons.skip, "secondary"]];
	switch (kind) {
		case "approval":
			return [
				...approving(call),
				["deny", approvalTexts.buttons.deny, "danger"],
				["details", approvalTexts.buttons.details, "secondary"],
				...editing(call),
			];
		case "grant":
			return [
				["approve", approvalTexts.buttons.approve, "success"],
				["deny", approvalTexts.buttons.deny, "danger"],
				...detailsButton,
			];
		case "password":
			return [["secret", questionTexts.buttons.enterSecret, "primary"], ...skip, ...detailsButton];
		case "text":
			return [["answer", questionTexts.buttons.answer, "primary"], ...skip, ...detailsButton];
		case "select":
		case "multi": {
			const { offered, further } = offeredOptions(question, platform.limits);
			const written = further.length > 0 || question.unlisted > 0 || offered.length === 0;
			return definedItems([
				written ? (["answer", questionTexts.buttons.answer, "primary"] as const) : undefined,
				...skip,
				...detailsButton,
			]);
		}
	}
}

function approving(call: OpenQuestion["call"]): ButtonFacts[] {
	// Only the operator can approve a critical call, outside of the platform.
	if (call?.risk === "critical") return [];
	return definedItems([
		["approve", approvalTexts.buttons.approveOnce, "success"],
		call?.allowSession
			? (["approve-session", approvalTexts.buttons.approveSession, "secondary"] as const)
			: undefined,
	]);
}

function editing(call: OpenQuestion["call"]): ButtonFacts[] {
	const mayEdit = call?.editable && call.risk !== "critical";
	return mayEdit ? [["edit", approvalTexts.buttons.edit, "secondary"]] : [];
}

function choiceOf(question: OpenQuestion, { controls, session, platform }: Scene): Control[][] {
	const { kind, options, token, required } = question;
	if (kind !== "select" && kind !== "multi") return [];
	const { limits } = platform;
	const { offered } = offeredOptions(question, limits);
	if (offered.length === 0) return [];
	return [
		[
			{
				type: "choice",
				id: controls.write({ kind: "choose", session, subject: token }),
				placeholder: kind === "select" ? questionTexts.choose.one : questionTexts.choose.any,
				options: offered.map((option) => ({
					// Values may be longer than platforms allow, so a control contains the index of the option.
					value: String(options.indexOf(option)),
					label: shortened(option.label, limits.optionText),
					description: shortened(option.description, limits.optionText),
					chosen: false,
				})),
				minimum: required ? 1 : 0,
				maximum: kind === "select" ? 1 : offered.length,
			},
		],
	];
}

/** Whether the label or the description of an offered option is longer than the platform allows. */
export function hasShortened(question: OpenQuestion, { limits }: Scene["platform"]): boolean {
	const { offered } = offeredOptions(question, limits);
	return offered.some(
		({ label, description }) => Math.max(label.length, description.length) > limits.optionText,
	);
}

function shortened(text: string, maximum: number): string {
	const line = text.replace(/\s+/gu, " ").trim();
	return line.length <= maximum ? line : `${line.slice(0, maximum - 1).replace(/[\ud800-\udbff]$/u, "")}…`;
}
