import { ParleyError } from "@parley/base";
import { serviceErrors } from "../texts/service.ts";
import { launchdManager } from "./launchd.ts";
import type { Machine } from "./machine.ts";
import type { ServiceManager } from "./service-manager.ts";
import type { Scope } from "./service-plan.ts";
import { systemdManager } from "./systemd.ts";

/** Returns the service manager of the machine. Throws `unimplemented` on systems other than Linux and macOS. */
export function chooseManager(scope: Scope, machine: Machine): ServiceManager {
	switch (machine.platform) {
		case "linux":
			return systemdManager(scope, machine);
		case "darwin":
			return launchdManager(scope, machine);
		default:
			throw new ParleyError(serviceErrors.noManager({ platform: machine.platform }), {
				code: "unimplemented",
			});
	}
}
