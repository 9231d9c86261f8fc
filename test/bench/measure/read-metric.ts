/** The first value of a metric family in `/metrics`, or NaN. */
export async function readMetric(port: number, name: string): Promise<number> {
	const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
	return Number(new RegExp(`^${name}(?:\\{.*\\})? (\\S+)$`, "m").exec(text)?.[1]);
}
