import type { HealthWatch, Logger } from "@parley/base";

/** Logs once when the store can no longer write, and once when it can again. */
export function tellStoreHealth(log: Logger): HealthWatch {
	return ({ state }, error) => {
		if (state === "ok") log.info("the store commits again; what was interrupted goes on");
		else if (state === "full") {
			log.error("the disk is full: nothing can be kept until there is space; nothing acknowledged was lost", {
				error,
			});
		} else
			log.error("the store cannot commit: look after the disk; nothing acknowledged was lost", { error });
	};
}
