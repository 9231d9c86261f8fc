import { ParleyError } from "@parley/base";
import { findTaint } from "../../store/session-taint.ts";
import { operator, type Principal } from "../../vocabulary/principal.ts";
import { checkTexts, type ScheduleDesk, scheduleLimits, unknownSchedule } from "../../vocabulary/schedule.ts";
import { type Run, speakersOf } from "../run/run.ts";

/**
 * Schedules for the tools of a run. They belong to the person who began the run, with that person's present rights. If the
 * operator began it and people of a chat joined it, they belong to the last of these people.
 */
export function scheduleDeskOf(run: Run, callId: string): ScheduleDesk {
	const { session } = run;
	const { schedules } = run.deps;
	const sessionId = session.home.id;
	const request = async (method: string) => {
		return { principal: await ownerOf(run), key: undefined, method, params: {} };
	};
	const list = async () => {
		const { principal } = await request("list_schedules");
		return schedules.list(principal, { sessionId, limit: scheduleLimits.perOwner });
	};
	const check: ScheduleDesk["check"] = async (wanted) => {
		refuseLoop(run);
		checkTexts(wanted);
		schedules.triggerOf(wanted.trigger);
		await run.deps.skills.checkScheduled(session.rootDir, wanted.prompt);
	};
	const removable: ScheduleDesk["removable"] = async (id) => {
		const found = (await list()).find((schedule) => schedule.id === id);
		if (found) return found;
		throw unknownSchedule(id);
	};
	return {
		...{ check, list, removable },
		async create(wanted) {
			await check(wanted);
			const taint = await run.deps.journal.store.read((db) => findTaint(db, session.id));
			const by = await request("schedule_task");
			return schedules.create(by, { sessionId }, wanted, { callId, taint });
		},
		async remove(id) {
			await removable(id);
			return schedules.remove(await request("unschedule_task"), id);
		},
	};
}

/** The owner of the schedules of a run, with the present role; the operator if no person of a chat spoke to it. */
async function ownerOf(run: Run): Promise<Principal> {
	const { row, session } = run;
	const actor = row.actor ?? speakersOf(run).at(-1);
	if (!actor) return operator;
	const { people, journal } = run.deps;
	const role = await journal.store.read((db) => people.roleNow(db, actor));
	const { platform } = actor.place;
	return { id: session.home.owner, kind: "connector", platform, person: { ...actor, role } };
}

function refuseLoop(run: Run): void {
	if (!run.scheduled) return;
	const message =
		"A schedule started this run, and such a run creates no schedules: a person can create them";
	throw new ParleyError(message, { code: "failed_precondition" });
}
