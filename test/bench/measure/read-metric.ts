/** Returns the first value of a metric in `/metrics`, or NaN without this metric. */
export async function readMetric(port: number, name: string): Promise<number> {
	const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
	return Number(new RegExp(`^${name}(?:\\{.*\\})? (\\S+)$`, "m").exec(text)?.[1]);
}
