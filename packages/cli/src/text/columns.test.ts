import { expect, test } from "vitest";
import { alignColumns } from "./columns.ts";

test("cells stand under each other, also behind wide characters", () => {
	const rows = [
		["ID", "TITLE", "N"],
		["1", "日本語", "10"],
		["22", "", ""],
	];
	expect(alignColumns(rows)).toEqual(["ID  TITLE   N", "1   日本語  10", "22"]);
});
