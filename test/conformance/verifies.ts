import { paced } from "@parley/base/testing";
import { type TestContext, test } from "vitest";
import type { Driver } from "./driver.ts";
import { kontekstDriver } from "./drivers/kontekst.ts";
import { ozzieDriver } from "./drivers/ozzie.ts";
import { rozDriver } from "./drivers/roz.ts";
import { zotDriver } from "./drivers/zot.ts";
import type { Wire } from "./requirement.ts";
import { type RequirementId, requirements } from "./requirements.ts";

const drivers: Readonly<Record<Wire, Driver>> = {
	ozzie: ozzieDriver,
	zot: zotDriver,
	kontekst: kontekstDriver,
	roz: rozDriver,
};

const timeout = paced(45_000);

/** Defines a scenario for one or several requirements. It runs on every wire that meets all of them. */
export function verifies(
	ids: readonly RequirementId[],
	behaviour: string,
	scenario: (driver: Driver) => Promise<void>,
): void {
	for (const driver of Object.values(drivers)) {
		const isMet = ids.every((id) => requirements[id].wires[driver.wire] === "kept");
		if (isMet) test(`${driver.wire}: ${behaviour}`, { timeout }, () => scenario(driver));
	}
}

export function verifiesOn(
	wire: Wire,
	ids: readonly RequirementId[],
	behaviour: string,
	scenario: (context: TestContext) => Promise<void>,
): void {
	const missing = ids.filter((id) => requirements[id].wires[wire] !== "kept");
	if (missing.length > 0) throw new Error(`${wire} cannot show ${missing.join(", ")}`);
	test(`${wire}: ${behaviour}`, { timeout }, scenario);
}
