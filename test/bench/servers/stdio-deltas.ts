import { setImmediate } from "node:timers/promises";
import { deltasPerTick, deltaText } from "../measure/delta-order.ts";
import { eachLine } from "../measure/each-line.ts";

/** Writes `count` deltas, with one write per tick. */
async function speak(request_id: string, count: number): Promise<void> {
	for (let sent = 0; sent < count; sent += deltasPerTick) {
		const lines: string[] = [];
		for (let n = 0; n < deltasPerTick; n++) {
			lines.push(`${JSON.stringify({ type: "text_delta", delta: deltaText, request_id })}\n`);
		}
		if (!process.stdout.write(lines.join(""))) {
			await new Promise((resolve) => process.stdout.once("drain", resolve));
		}
		await setImmediate();
	}
	process.stdout.write(`${JSON.stringify({ type: "done", request_id })}\n`);
}

eachLine((line) => {
	const { id, message } = JSON.parse(line);
	void speak(id, Number(message));
});
