import { type Check, fail, ok, warn } from "../finding.ts";

const dayMs = 24 * 60 * 60 * 1000;
/** Days before the end at which whoever renews by hand should do it. */
const soonDays = 14;

const renew = "renew it in its place: a gateway takes the new one at SIGHUP, and at its next start";

/** How long the gateway's own certificate is good for. */
export const tls: Check = {
	id: "tls",
	async look({ config, health, certificateEnd, now }) {
		const file = config instanceof Error ? undefined : config.tls?.cert;
		const reported = health?.certificate?.valid_to;
		if (file === undefined && reported === undefined) return ok("no certificate is configured");
		const end = file === undefined ? Date.parse(reported ?? "") : await certificateEnd(file);
		const days = Math.floor((end - now()) / dayMs);
		const until = new Date(end).toISOString().slice(0, 10);
		if (end <= now()) return fail(`the certificate was good until ${until}`, renew);
		if (days < soonDays) return warn(`the certificate is good until ${until}, ${days} days`, renew);
		return ok(`the certificate is good until ${until}`);
	},
};
