import { expect, test } from "vitest";
import { runChecks } from "../doctor/checks/run-checks.ts";
import { fakeSystem } from "../doctor/testing/fake-system.ts";
import { createStyles } from "../text/styles.ts";
import { widthOf } from "../text/wrap.ts";
import { doctorRows } from "./finding-rows.ts";

test("prints findings within the width of the terminal, each with its fix, and colours only if they are on", async () => {
	const all = await runChecks(
		fakeSystem({
			provider: async () => ({ reached: false, url: "https://models.test", reason: "x".repeat(200) }),
		}),
	);
	const rows = doctorRows(all, { columns: 60, styles: createStyles(false) });
	expect(Math.max(...rows.map(widthOf))).toBeLessThanOrEqual(60);
	expect(rows.join("\n")).not.toContain("\u001b");
	expect(rows.some((row) => /^ +→ run `curl/.test(row))).toBe(true);
	expect(rows.at(-1)).toBe("1 failure, 0 warnings");
	expect(doctorRows(all, { columns: 60, styles: createStyles(true) }).join("\n")).toContain("\u001b[31mFAIL");
	const well = doctorRows(await runChecks(fakeSystem()), { columns: 60, styles: createStyles(false) });
	expect(well.at(-1)).toBe("no problems");
});
