import { answerTexts } from "../../texts/answers.ts";
import { actingPerson, plainLine } from "./plain.ts";
import type { Scene } from "./reducer.ts";

/**
 * Returns the name of the principal that stopped a run. A person from another platform cannot be mentioned in the
 * room, so a general name is returned.
 */
export function stopperName(by: string, { room, platform }: Scene): string {
	const [origin = "", , id] = by.split(":");
	const isForeign = id !== undefined && room !== undefined && origin !== room.platform;
	return isForeign ? answerTexts.personElsewhere : actingPerson(by, platform);
}

/** End of a run, with the principal that stopped it. Earlier versions of the gateway do not name the principal. */
interface Stopped {
	readonly stopped_by?: string;
}

/**
 * Returns a text with the principal that stopped the run, and with the time. Returns undefined if the principal or
 * the time is unknown.
 */
export function stopperOf({ stopped_by: by }: Stopped, scene: Scene): string | undefined {
	const { at, platform } = scene;
	if (by === undefined || at === undefined) return undefined;
	return answerTexts.stoppedBy({ person: stopperName(by, scene), at: platform.moment(at) });
}

/** Returns the text for a run that was stopped before it had an answer. `about` is the start of the run's message. */
export function stoppedText(stopped: Stopped, about: string | undefined, scene: Scene): string {
	const shown = about === undefined ? undefined : plainLine(about, maxAbout);
	return answerTexts.stopped({ about: shown, who: stopperOf(stopped, scene) });
}

const maxAbout = 80;
