import {
	ButtonBuilder,
	LabelBuilder,
	ModalBuilder,
	StringSelectMenuBuilder,
	StringSelectMenuOptionBuilder,
	TextInputBuilder,
} from "discord.js";
import {
	ComponentType,
	MessageFlags,
	RESTJSONErrorCodes,
	ThreadAutoArchiveDuration,
} from "discord-api-types/v10";
import { expect, test } from "vitest";
import { cutTo, errorCodes, lengthOf, limits, messageFlags } from "./limits.ts";

test("flags, error codes and archive times equal the constants of discord-api-types", () => {
	expect(messageFlags).toEqual({
		suppressEmbeds: MessageFlags.SuppressEmbeds,
		ephemeral: MessageFlags.Ephemeral,
		componentsV2: MessageFlags.IsComponentsV2,
	});
	expect(errorCodes).toEqual({
		unknownChannel: RESTJSONErrorCodes.UnknownChannel,
		unknownInteraction: RESTJSONErrorCodes.UnknownInteraction,
		tooManyOldEdits: RESTJSONErrorCodes.MaximumNumberOfEditsToMessagesOlderThanOneHourReached,
		alreadyAnswered: RESTJSONErrorCodes.InteractionHasAlreadyBeenAcknowledged,
		missingAccess: RESTJSONErrorCodes.MissingAccess,
		missingPermissions: RESTJSONErrorCodes.MissingPermissions,
		wrongChannelType: RESTJSONErrorCodes.CannotExecuteActionOnThisChannelType,
		archivedThread: RESTJSONErrorCodes.InvalidActionOnArchivedThread,
		replyWithoutHistory: RESTJSONErrorCodes.CannotReplyWithoutPermissionToReadMessageHistory,
		threadExists: RESTJSONErrorCodes.ThreadAlreadyCreatedForMessage,
		lockedThread: RESTJSONErrorCodes.ThreadLocked,
		tooManyThreads: RESTJSONErrorCodes.MaximumActiveThreads,
		requestTooLarge: RESTJSONErrorCodes.RequestEntityTooLarge,
		explicitContent: RESTJSONErrorCodes.ExplicitContentCannotBeSentToTheDesiredRecipient,
		emptyMessage: RESTJSONErrorCodes.CannotSendAnEmptyMessage,
		invalidForm: RESTJSONErrorCodes.InvalidFormBodyOrContentType,
		blockedByAutoMod: RESTJSONErrorCodes.MessageWasBlockedByAutomaticModeration,
		titleBlockedByAutoMod: RESTJSONErrorCodes.TitleWasBlockedByAutomaticModeration,
		harmfulLinks: RESTJSONErrorCodes.MessageBlockedByHarmfulLinksFilter,
	});
	const durations = Object.values(ThreadAutoArchiveDuration).filter((value) => typeof value === "number");
	expect([...limits.threadArchives]).toEqual(durations);
});

/** Builders of discord.js, which check their input against the limits that discord.js knows. */
const builders: Record<string, readonly [maximum: number, build: (text: string) => unknown]> = {
	customId: [limits.customId, (text) => new ButtonBuilder().setCustomId(text)],
	buttonLabel: [limits.buttonLabel, (text) => new ButtonBuilder().setLabel(text)],
	placeholder: [limits.placeholder, (text) => new StringSelectMenuBuilder().setPlaceholder(text)],
	optionText: [limits.optionText, (text) => new StringSelectMenuOptionBuilder().setLabel(text)],
	modalTitle: [limits.modalTitle, (text) => new ModalBuilder().setTitle(text)],
	fieldLabel: [
		limits.fieldLabel,
		(text) =>
			new LabelBuilder({ component: { type: ComponentType.TextInput, custom_id: "a", style: 1 } })
				.setLabel(text)
				.toJSON(),
	],
	fieldText: [limits.fieldText, (text) => new TextInputBuilder().setValue(text)],
};

test.each(Object.entries(builders))("%s has the length that discord.js has", (_name, [maximum, build]) => {
	expect(() => build("x".repeat(maximum))).not.toThrow();
	expect(() => build("x".repeat(maximum + 1))).toThrow();
});

test("text is counted in code points and cut between visible characters", () => {
	expect([lengthOf("añ😀"), lengthOf("👩‍👩‍👧"), lengthOf("\ud800")]).toEqual([3, 5, 1]);
	expect(cutTo("abc", 3)).toBe("abc");
	expect(cutTo("abcd", 3)).toBe("ab…");
	expect(cutTo("a👩‍👩‍👧b", 4)).toBe("a…");
});
