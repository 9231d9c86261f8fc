import { defined, ParleyError } from "@parley/base";
import { actingId, type Memory, type Principal } from "@parley/core";
import type { MemoryPayload } from "@parley/protocol";
import { ozzieErrorTexts } from "../../../texts/wires/ozzie.ts";
import { toTime } from "../../shared/time.ts";
import { keyedRequest, type MethodsOf } from "./request.ts";

type MemoryMethod = "store_memory" | "query_memories" | "list_memories" | "forget_memory";

export const memoryMethods: MethodsOf<MemoryMethod> = {
	async store_memory({ deps }, request) {
		const { scope = "user", content, tags = [] } = request.params;
		return encodeMemory(
			await deps.runtime.memories.store(keyedRequest(request), { scope, text: content, tags }),
		);
	},

	async query_memories({ deps }, request) {
		const { query, scope, person, limit } = request.params;
		const filter = { query, scope, person: personOf(request.principal, person), limit };
		return { memories: (await deps.runtime.memories.list(request.principal, filter)).map(encodeMemory) };
	},

	async list_memories({ deps }, request) {
		const { scope, person, limit } = request.params;
		const filter = { scope, person: personOf(request.principal, person), limit };
		return { memories: (await deps.runtime.memories.list(request.principal, filter)).map(encodeMemory) };
	},

	async forget_memory({ deps }, request) {
		const { memories } = deps.runtime;
		const { memory_id, channel } = request.params;
		const person = personOf(request.principal, request.params.person);
		if ([memory_id, person, channel].filter((given) => given !== undefined).length !== 1) {
			const message = ozzieErrorTexts.oneMemory;
			throw new ParleyError(message, { code: "invalid_argument" });
		}
		if (person !== undefined) {
			return { status: "forgotten", forgotten: await memories.forgetPerson(keyedRequest(request), person) };
		}
		if (channel !== undefined) {
			return { status: "forgotten", forgotten: await memories.forgetChannel(keyedRequest(request), channel) };
		}
		await memories.forget(keyedRequest(request), memory_id ?? "");
		return { status: "forgotten", forgotten: 1 };
	},
};

function personOf(principal: Principal, person: string | undefined): string | undefined {
	return person === "me" ? actingId(principal) : person;
}

function encodeMemory(memory: Memory): MemoryPayload {
	const { id, scope, subject, text, tags, author, sessionId, taint, createdAt } = memory;
	return {
		memory_id: id,
		scope,
		content: text,
		tags: [...tags],
		author,
		taint,
		...defined({ subject: subject === "" ? undefined : subject, session_id: sessionId }),
		created_at: toTime(createdAt),
	};
}
