import type { Clock, Logger } from "@parley/base";
import type { Runtime } from "@parley/core";
import { FailedAuthLimiter } from "../auth/limiter.ts";
import type { Config } from "../config/load.ts";
import type { SecretPageRoute } from "./answer-secret-page.ts";
import { SecretPages } from "./secret-pages.ts";

/** Opens the password pages. Returns undefined if the gateway has no public address. */
export function openSecretPages(
	{
		config: { publicUrl },
		clock,
		log,
	}: { readonly config: Config; readonly clock: Clock; readonly log: Logger },
	runtime: Runtime,
): (SecretPageRoute & { readonly pages: SecretPages }) | undefined {
	if (publicUrl === undefined) return undefined;
	const pages = new SecretPages({ publicUrl, clock, runtime });
	return { pages, runtime, limiter: new FailedAuthLimiter(clock), clock, log };
}
