import { defined, ParleyError } from "@parley/base";
import type { MethodInput, MethodResult, Requester, RequestMethod, RequestOptions } from "@parley/protocol";

/** Results of methods by name. An error that a function throws is the gateway's refusal. */
export type ScriptedAnswers = {
	readonly [Name in RequestMethod]?: (
		params: MethodInput<Name>,
	) => MethodResult<Name> | Promise<MethodResult<Name>>;
};

/** A gateway with scripted answers that records its requests. A method without an answer rejects with `unimplemented`. */
export class ScriptedRequests implements Requester {
	readonly requests: { method: RequestMethod; params: object; sessionId?: string }[] = [];
	readonly #answers: ScriptedAnswers;

	constructor(answers: ScriptedAnswers = {}) {
		this.#answers = answers;
	}

	async request<Name extends RequestMethod>(
		method: Name,
		params: MethodInput<Name>,
		{ sessionId }: RequestOptions = {},
	): Promise<MethodResult<Name>> {
		this.requests.push({ method, params, ...defined({ sessionId }) });
		const answer: ScriptedAnswers[Name] = this.#answers[method];
		if (!answer) throw new ParleyError("not available", { code: "unimplemented" });
		return answer(params);
	}
}
