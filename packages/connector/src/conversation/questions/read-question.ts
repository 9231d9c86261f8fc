import { defined } from "@parley/base";
import type { PromptContext, PromptRequestPayload } from "@parley/protocol";
import type { FormLimits, PlatformLimits } from "../../platform/chat-platform.ts";
import { questionTexts } from "../../texts/questions.ts";
import { trustRequestWithoutIds } from "../vocabulary/without-ids.ts";
import { argumentsText, isLabelOf } from "./arguments-text.ts";
import { storeText } from "./cut.ts";
import { editForm } from "./edit-form.ts";
import { type ApprovalCall, hashOfCall, type OpenQuestion, type QuestionKind } from "./question.ts";

const maxOptions = 100;
const maxNotes = 20;
const maxAlsoIn = 20;
const longestNote = 1_000;
const longestDescription = 200;

/**
 * Reads a question of the gateway. Stores only the start of a long text, because a post of the platform cannot show more.
 */
export function readQuestion(payload: PromptRequestPayload, { post, form }: PlatformLimits): OpenQuestion {
	const { token, required, options, context } = payload;
	const kind = kindOf(payload);
	const label = kind === "grant" ? trustRequestWithoutIds(payload.label) : payload.label;
	const maximum = 2 * post;
	const expiresAt = Date.parse(context.expires_at ?? "");
	return {
		token,
		kind,
		label: storeText(label, maximum),
		required,
		reminders: 0,
		options: options.slice(0, maxOptions).map(({ value, label: name, description, disabled }) => ({
			value,
			label: name || value,
			disabled,
			description: description.slice(0, longestDescription),
		})),
		unlisted: Math.max(0, options.length - maxOptions),
		hints: hintsOf(payload).map(([name, text]) => [name, storeText(text, longestNote)] as const),
		...defined({
			expiresAt: Number.isFinite(expiresAt) ? expiresAt : undefined,
			task: context.task_id,
			call: isCall(context) ? readCall(label, context, { maximum, form }) : undefined,
			alsoIn: context.also_in ? context.also_in.slice(0, maxAlsoIn) : undefined,
			reply: isCall(context) && context.reply ? context.reply : undefined,
		}),
	};
}

function kindOf({ type, context }: PromptRequestPayload): QuestionKind {
	if (type !== "confirm") return type;
	return isCall(context) ? "approval" : "grant";
}

function isCall(context: PromptContext): boolean {
	// A trust request has the same kind of answer as an approval, but no tool.
	return context.tool !== undefined;
}

function readCall(
	label: string,
	context: PromptContext,
	{ maximum, form }: { readonly maximum: number; readonly form: FormLimits },
): ApprovalCall {
	const {
		tool = "",
		preview = "",
		notes = [],
		warnings,
		risk = "normal",
		allow_session: allowSession = false,
	} = context;
	const labelIsRedundant = isLabelOf(label, context.arguments);
	const { text, brief } = argumentsText(context.arguments, {
		isLabelRedundant: labelIsRedundant,
		previewed: preview !== "",
	});
	const further = notes.length - maxNotes;
	const more = further > 0 ? [questionTexts.moreNotes({ count: further })] : [];
	return {
		...defined({
			id: context.call_id,
			approvals: context.approvals,
			changes: context.changes,
			editable: editForm(context.arguments, form) && (true as const),
			warnings: warnings?.slice(0, maxNotes).map((note) => storeText(note, longestNote)),
		}),
		tool,
		risk,
		allowSession,
		hash: hashOfCall(label, context),
		brief,
		told: labelIsRedundant,
		arguments: storeText(text, maximum),
		preview: storeText(preview.replace(/\n$/u, ""), maximum),
		notes: [...notes.slice(0, maxNotes), ...more].map((note) => storeText(note, longestNote)),
	};
}

function hintsOf({ default: fallback, placeholder, validation }: PromptRequestPayload): [string, string][] {
	const suggested = Array.isArray(fallback) ? fallback.join(", ") : fallback;
	const hints: [string, unknown][] = [
		[questionTexts.hints.usual, suggested],
		[questionTexts.hints.example, placeholder],
		[questionTexts.hints.pattern, validation],
	];
	return hints.flatMap(([name, text]): [string, string][] =>
		text === "" || text === null || text === undefined ? [] : [[name, String(text)]],
	);
}
