import { definedItems, ParleyError } from "@parley/base";
import { eventOf, type RequestedTrigger, type ScheduleTarget } from "@parley/core";
import { ozzieErrorTexts } from "../../../texts/wires/ozzie.ts";
import { firstWithin, jsonBytes } from "../../shared/paging.ts";
import { encodeSchedule } from "../../shared/schedule-json.ts";
import { answerBudget } from "../codec.ts";
import { type HandlerContext, keyedRequest, type MethodsOf, type RequestOf, targetNamed } from "./request.ts";

type ScheduleMethod = "schedule_task" | "list_schedules" | "unschedule_task";

export const scheduleMethods: MethodsOf<ScheduleMethod> = {
	async schedule_task(connection, request) {
		const { prompt, title, show } = request.params;
		const requested = { prompt, title, show, trigger: triggerOf(request.params) };
		const target = targetOf(connection, request);
		const sessionId = "sessionId" in target ? target.sessionId : undefined;
		const { schedules } = connection.deps.runtime;
		return encodeSchedule(await schedules.create(keyedRequest(request, sessionId), target, requested));
	},

	async list_schedules({ deps, envelope }, { principal, params }) {
		const { session_id: sessionId, limit } = params;
		const found = await deps.runtime.schedules.list(principal, { sessionId, limit });
		return { schedules: firstWithin(found.map(encodeSchedule), jsonBytes, answerBudget(envelope)) };
	},

	async unschedule_task({ deps }, request) {
		const { entry_id } = request.params;
		const { title } = await deps.runtime.schedules.remove(keyedRequest(request), entry_id);
		return { status: "removed", entry_id, title };
	},
};

function targetOf(connection: HandlerContext, request: RequestOf<"schedule_task">): ScheduleTarget {
	const { external_key: externalKey, session_id } = request.params;
	if (externalKey === undefined) return { sessionId: targetNamed(connection, request) };
	if (session_id === undefined) return { externalKey };
	const message = ozzieErrorTexts.sessionAndKey({ session: JSON.stringify(session_id) });
	throw new ParleyError(message, { code: "invalid_argument" });
}

function triggerOf({
	when,
	cron,
	interval_sec,
	at,
	event,
	time_zone: timeZone,
}: RequestOf<"schedule_task">["params"]): RequestedTrigger {
	const values = definedItems<RequestedTrigger | undefined>([
		when === undefined ? undefined : { kind: "words", when, timeZone },
		cron === undefined ? undefined : { kind: "cron", cron, timeZone },
		interval_sec === undefined ? undefined : { kind: "interval", everyMs: interval_sec * 1000 },
		at === undefined ? undefined : { kind: "once", at: Date.parse(at) },
		event === undefined ? undefined : { kind: "event", event: eventOf(event) },
	]);
	const [trigger, ...others] = values;
	if (trigger && others.length === 0) return trigger;
	const message = ozzieErrorTexts.oneTime({ count: values.length });
	throw new ParleyError(message, { code: "invalid_argument" });
}
