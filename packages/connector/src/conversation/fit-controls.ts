import type { PlatformLimits } from "../platform/chat-platform.ts";
import type { Control } from "../platform/posting.ts";
import { oneLine } from "./vocabulary/plain.ts";

/** Labels as short, and rows as narrow, as the platform wants them; no row is empty. */
export function fitControls(rows: readonly (readonly Control[])[], limits: PlatformLimits): Control[][] {
	const { controlsPerRow } = limits;
	return rows.flatMap((row) =>
		Array.from({ length: Math.ceil(row.length / controlsPerRow) }, (_, index) =>
			row
				.slice(index * controlsPerRow, (index + 1) * controlsPerRow)
				.map((control) => fitControl(control, limits)),
		),
	);
}

function fitControl(control: Control, { buttonLabel, optionText }: PlatformLimits): Control {
	if (control.type !== "choice") return { ...control, label: shown(control.label, buttonLabel) };
	const options = control.options.map(({ value, label, description, chosen }) => ({
		...{ value, chosen, label: shown(label, optionText), description: oneLine(description, optionText) },
	}));
	return { ...control, placeholder: oneLine(control.placeholder, optionText), options };
}

/** No platform takes a label without text. */
function shown(label: string, most: number): string {
	return oneLine(label, most) || "…";
}
