import * as z from "zod";

const Payload = z.object({ t: z.string(), s: z.int(), d: z.unknown() });

const Ready = z.object({
	user: z.object({ id: z.string() }),
	application: z.object({ id: z.string() }),
});

/** An event's frame; undefined where it is none. */
export function readPayload(payload: unknown): z.output<typeof Payload> | undefined {
	return Payload.safeParse(payload).data;
}

/** Who the bot is, of the data of READY; undefined where that does not say it. */
export function readReady(
	data: unknown,
): { readonly user: string; readonly application: string } | undefined {
	const ready = Ready.safeParse(data).data;
	return ready && { user: ready.user.id, application: ready.application.id };
}
