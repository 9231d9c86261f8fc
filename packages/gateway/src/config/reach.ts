import { ParleyError } from "@parley/base";
import { settingRefusalTexts } from "../texts/config/refusals.ts";
import { type Endpoint, formatEndpoint, parseEndpoint, staysHere } from "../transport/address.ts";
import type { Settings } from "./schema.ts";
import { notAllowed } from "./setting-refusal.ts";
import type { Source } from "./sources.ts";

interface CheckedSource {
	readonly settings: Settings;
	readonly source: Source;
}

type Safety = Settings;

/**
 * Throws if the settings admit other machines without authentication, or without encryption unless `insecureLan` or a
 * trusted proxy is set. Also throws for a repeated address. The error names the position of the refused setting.
 */
export function checkReach({ settings, source }: CheckedSource, set: Safety): void {
	checkPublicAddresses(settings, source, set);
	checkTwice(settings, source);
	if (set.auth !== "none") return;
	const reason = settingRefusalTexts.proxyWithoutAuth;
	const allowed = settingRefusalTexts.authLocalOrToken;
	for (const name of ["trustedProxies", "publicUrl"] as const) {
		const value = settings[name];
		if (value !== undefined && value.length > 0) throw notAllowed(source, [name], { value, reason, allowed });
	}
}

function checkPublicAddresses({ listen = [] }: Settings, source: Source, set: Safety): void {
	const isSafe = set.tls !== undefined || (set.trustedProxies ?? []).length > 0 || set.insecureLan === true;
	if (set.auth !== "none" && isSafe) return;
	const item = listen.findIndex((place) => !staysHere(readEndpoint(place)));
	if (item < 0) return;
	const here = settingRefusalTexts.thisMachine;
	if (set.auth === "none") {
		const reason = settingRefusalTexts.reachableWithoutAuth;
		throw notAllowed(source, ["listen", item], { value: listen[item], reason, allowed: here });
	}
	const reason = settingRefusalTexts.reachableUnencrypted;
	const allowed = [
		settingRefusalTexts.withTls,
		settingRefusalTexts.behindProxy,
		here,
		settingRefusalTexts.insecureLan,
	].join("; ");
	throw notAllowed(source, ["listen", item], { value: listen[item], reason, allowed });
}

function checkTwice({ listen = [] }: Settings, source: Source): void {
	const places = listen.map((value) => formatEndpoint(readEndpoint(value)));
	const item = places.findIndex((place, index) => !place.endsWith(":0") && places.indexOf(place) < index);
	if (item < 0) return;
	throw notAllowed(source, ["listen", item], {
		value: places[item],
		allowed: settingRefusalTexts.eachAddressOnce,
	});
}

/** Parses an endpoint that the schema has accepted. Throws `internal` for any other text. */
export function readEndpoint(text: string): Endpoint {
	const endpoint = parseEndpoint(text);
	if (endpoint !== undefined) return endpoint;
	throw new ParleyError(settingRefusalTexts.noAddress({ text: JSON.stringify(text) }), { code: "internal" });
}
