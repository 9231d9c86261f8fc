import type { PlannedRow } from "@parley/connector";
import type { DeliveryRun } from "./delivery-run.ts";

export function judge(run: DeliveryRun): string[] {
	const { posts, faults } = run.platform;
	const all = [...faults];
	const nonces = posts.map(({ nonce }) => nonce);
	if (new Set(nonces).size < nonces.length) all.push("a row is posted twice");
	for (const [session, events] of run.events) {
		const rows = events.flat();
		const seen = posts.filter(({ conversation }) => conversation === session);
		const texts = seen.map(({ text }) => text);
		for (const text of expectedTexts(rows)) {
			const count = texts.filter((other) => other === text).length;
			if (count !== 1) all.push(`${text} is to be seen ${count} times`);
		}
		if (texts.length !== expectedTexts(rows).length) all.push(`${session} sees ${texts.length} posts`);
		const plain = rows.filter(({ card }) => card === undefined);
		for (const lanes of [["final", "error", "milestone"], ["acknowledgement"], ["approval"]]) {
			const planned = plain.filter(({ lane }) => lanes.includes(lane)).map(textOf);
			const shown = texts.filter((text) => planned.includes(text));
			if (shown.join() !== planned.join())
				all.push(`${session} sees ${shown.join()} instead of ${planned.join()}`);
		}
	}
	return [...all, ...judgeInbound(run)];
}

function judgeInbound({ inbound, received, network }: DeliveryRun): string[] {
	const lost = [...Map.groupBy(inbound, ({ conversation }) => conversation)].flatMap(
		([conversation, events]) => {
			const sent = events.map(({ id }) => id).toSorted();
			const got = received.get(conversation)?.toSorted() ?? [];
			const is = sent.join() === got.join();
			return is ? [] : [`the gateway received ${got.join()} of ${conversation} instead of ${sent.join()}`];
		},
	);
	return [...network.faults, ...lost];
}

function expectedTexts(rows: readonly PlannedRow[]): string[] {
	const plain = rows.filter(({ card }) => card === undefined).map(textOf);
	const cards = new Map<string, string>();
	for (const row of rows) if (row.card !== undefined) cards.set(row.card, textOf(row));
	return [...plain, ...cards.values()];
}

function textOf({ payload }: PlannedRow): string {
	// The cast is safe because the tests plan only payloads with a text.
	return (payload as { readonly text: string }).text;
}
