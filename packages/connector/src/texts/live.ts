/** Texts of a growing answer, and of the line about tool calls below an answer. */
export const liveTexts = {
	running: ({ call, seconds }: { readonly call: string; readonly seconds: number }): string =>
		seconds === 0 ? `⏳ ${call}` : `⏳ ${call} · ${duration(seconds)}`,
	succeeded: ({ call, seconds }: { readonly call: string; readonly seconds: number }): string =>
		seconds === 0 ? `✅ ${call}` : `✅ ${call} · ${duration(seconds)}`,
	failed: ({ call, seconds }: { readonly call: string; readonly seconds: number }): string =>
		seconds === 0 ? `❌ ${call}` : `❌ ${call} · ${duration(seconds)}`,
	/** Title of a call, for platforms that show the state of the call separately. */
	call: ({ call, seconds }: { readonly call: string; readonly seconds: number }): string =>
		seconds === 0 ? call : `${call} · ${duration(seconds)}`,
	// `failed`: number of these calls that failed.
	earlier: ({ count, failed }: { readonly count: number; readonly failed: number }): string => {
		const calls = count === 1 ? "1 earlier tool call" : `${count} earlier tool calls`;
		if (failed === 0) return `✅ ${calls}`;
		return failed === count ? `❌ ${calls}` : `${calls}, ${failed} failed`;
	},
	calls: ({ count, seconds }: { readonly count: number; readonly seconds: number }): string =>
		`${count === 1 ? "1 tool call" : `${count} tool calls`}${seconds === 0 ? "" : ` in ${duration(seconds)}`}`,
	writing: "is writing…",
} as const;

function duration(seconds: number): string {
	if (seconds < 60) return `${seconds} s`;
	const minutes = Math.floor(seconds / 60);
	return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
