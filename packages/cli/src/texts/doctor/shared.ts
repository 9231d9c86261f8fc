import { plural } from "../../text/amounts.ts";

/** Findings that several checks of `parley doctor` report, and the summary line. */
export const doctorTexts = {
	configInvalid: "unknown while the configuration is invalid",
	notChecked: ({ reason }: { readonly reason: string }) => `could not be checked: ${reason}`,
	notCheckedFix: "fix this problem, then run `parley doctor` again",
	sameCause: ({ id }: { readonly id: string }) => `unknown because of the finding ${id}`,
	/** Shows the totals below all findings. */
	sum: ({ failures, warnings }: { readonly failures: number; readonly warnings: number }) =>
		failures + warnings === 0
			? "no problems"
			: `${plural(failures, "failure")}, ${plural(warnings, "warning")}`,
} as const;
