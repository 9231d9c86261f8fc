import { isDeepStrictEqual } from "node:util";
import type { MethodResult } from "@parley/protocol";
import type { Form } from "../controls/control-kind.ts";
import { editForm, readEdited } from "../conversation/questions/edit-form.ts";
import type { HandlerContext, Reply } from "../rooms/handler-context.ts";
import { approvalTexts } from "../texts/approvals.ts";
import { questionTexts } from "../texts/questions.ts";
import type { PressHandlers } from "./press.ts";
import { answeringOf, answerRefusal, type QuestionAnswer, sendAnswer, whyClosed } from "./questions.ts";

const { editForm: texts } = approvalTexts;

/** An approval that contains the arguments of its call. */
type ShownPrompt = MethodResult<"list_prompts">["prompts"][number];

/**
 * Returns the form with the arguments of a call, if the person may approve the call. Otherwise, returns a private
 * answer with the reason.
 */
export async function editFormFor(
	context: HandlerContext,
	answering: Omit<QuestionAnswer, "key">,
): Promise<{ readonly form: Form } | { readonly reply: Reply }> {
	const found = await findApproval(context, answering);
	if ("reply" in found) return found;
	const form = editForm(found.prompt.context.arguments, context.platform.limits.form);
	return form ? { form } : { reply: { text: texts.notEditable } };
}

/**
 * Handler that approves a call with the arguments of a filled form. The gateway applies the policy to the changed
 * call. A press without form fields gets the reason why no form opened.
 */
export const pressesOfEdits: PressHandlers<"edit"> = {
	async edit(context, handled, target) {
		const answering = answeringOf(handled, target);
		const { fields } = handled.event;
		if (Object.keys(fields).length === 0) {
			const opened = await editFormFor(context, answering);
			return "reply" in opened ? opened.reply : { text: texts.tooSlow, ...retryReply(context, answering) };
		}
		const found = await findApproval(context, answering);
		if ("reply" in found) return found.reply;
		const { arguments: given, changes = 0 } = found.prompt.context;
		// Another person may have changed the call since the form was opened.
		if (!editForm(given, context.platform.limits.form)) return { text: texts.notEditable };
		const edited = readEdited(fields, given);
		if ("problem" in edited) return { text: edited.problem, ...retryReply(context, answering) };
		const changed = isDeepStrictEqual(edited.arguments, given) ? {} : { arguments: edited.arguments };
		const reply = await sendAnswer(context, answering, { value: "once", changes, ...changed });
		const isOpen = reply !== undefined && whyClosed(context, answering) === undefined;
		return isOpen ? { ...reply, ...retryReply(context, answering) } : reply;
	},
};

async function findApproval(
	context: HandlerContext,
	answering: Omit<QuestionAnswer, "key">,
): Promise<{ readonly prompt: ShownPrompt } | { readonly reply: Reply }> {
	const { person, room, session, token } = answering;
	const closed = whyClosed(context, answering);
	if (closed) return { reply: closed };
	// The gateway refuses this request for people who may not approve.
	const params = { token, session_id: session, approvals: true, ...context.onBehalf(person, room) };
	try {
		const { prompts } = await context.gateway.request("list_prompts", params, { sessionId: session });
		const prompt = prompts.find((one) => one.token === token);
		return prompt
			? { prompt }
			: { reply: whyClosed(context, answering) ?? { text: questionTexts.replies.gone } };
	} catch (reason) {
		return { reply: answerRefusal(context, answering, reason) };
	}
}

/** Returns a button that opens the form again, because a form cannot show its errors. */
function retryReply(
	{ controls }: HandlerContext,
	{ session, token }: QuestionAnswer,
): Pick<Required<Reply>, "controls"> {
	const id = controls.write({ kind: "edit", session, subject: token });
	return {
		controls: [[{ type: "button", id, label: approvalTexts.buttons.editAgain, style: "primary" }]],
	};
}
