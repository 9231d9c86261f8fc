import type { Client, MethodInput } from "@parley/protocol";
import { beginsId, requireLongId } from "../text/begins-id.ts";
import { UsageError } from "../usage.ts";

/** Answers the wish whose id begins so, as the operator; returns the channel that it is about. */
export async function answerWish(
	client: Client,
	id: string,
	answer: Pick<MethodInput<"prompt_response">, "value" | "cancelled">,
): Promise<{ readonly status: string; readonly place: string }> {
	const { wishes } = await client.request("list_grants", {});
	const exact = wishes.filter(({ token }) => token === id);
	const [wish, ...others] = exact.length > 0 ? exact : wishes.filter(({ token }) => beginsId(token, id));
	if (!wish) requireLongId(id);
	if (!wish) throw new UsageError(`nobody asks for ${id}; parley trust list shows what is asked for`);
	if (others.length > 0) {
		const ids = [wish, ...others].map(({ token }) => token).join(", ");
		throw new UsageError(`several wishes begin with ${id}: ${ids}`);
	}
	const { token, place } = wish;
	return { ...(await client.request("prompt_response", { token, ...answer })), place };
}
