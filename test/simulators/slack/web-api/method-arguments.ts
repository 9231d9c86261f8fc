import type { KnownBlock, MessageAttachment, MessageMetadata, SlackEvent } from "@slack/types";
import type {
	AgentsSessionsRenameArguments,
	AgentsSessionsSetStatusArguments,
	AppsManifestExportArguments,
	AppsManifestValidateArguments,
	AssistantThreadsSetStatusArguments,
	AssistantThreadsSetSuggestedPromptsArguments,
	AssistantThreadsSetTitleArguments,
	BotsInfoArguments,
	ChatAppendStreamArguments,
	ChatDeleteArguments,
	ChatGetPermalinkArguments,
	ChatStartStreamArguments,
	ChatStopStreamArguments,
	ConversationsHistoryArguments,
	ConversationsInfoArguments,
	ConversationsMembersArguments,
	ConversationsRepliesArguments,
	FilesCompleteUploadExternalArguments,
	FilesInfoArguments,
	ReactionsAddArguments,
	TeamInfoArguments,
	UsersConversationsArguments,
	UsersInfoArguments,
	ViewsOpenArguments,
	ViewsPublishArguments,
	ViewsUpdateArguments,
} from "@slack/web-api";

interface Token {
	token?: string;
}

/**
 * Arguments of an upload. The documentation names `alt_txt`, the package names `alt_text`, and Slack ignores
 * unknown arguments: https://docs.slack.dev/reference/methods/files.getUploadURLExternal
 */
interface Upload extends Token {
	filename: string;
	length: number;
	alt_txt?: string;
	snippet_type?: string;
}

/**
 * Content of a message. The package's own type is a union of hundreds of members, and validation errors for that
 * union do not identify the mistake.
 */
interface Contents extends Token {
	channel: string;
	text?: string;
	markdown_text?: string;
	blocks?: KnownBlock[];
	attachments?: MessageAttachment[];
	parse?: "full" | "none";
	link_names?: boolean;
	as_user?: boolean;
	metadata?: MessageMetadata;
}

interface Post extends Contents {
	thread_ts?: string;
	reply_broadcast?: boolean;
	mrkdwn?: boolean;
	unfurl_links?: boolean;
	unfurl_media?: boolean;
	icon_emoji?: string;
	icon_url?: string;
	username?: string;
}

interface EphemeralPost extends Omit<Contents, "metadata"> {
	user: string;
	thread_ts?: string;
	icon_emoji?: string;
	icon_url?: string;
	username?: string;
}

interface Update extends Contents {
	ts: string;
	file_ids?: string[];
	reply_broadcast?: boolean;
}

/** Arguments of `conversations.open`. The method checks that either a channel or users are present. */
interface Open extends Token {
	channel?: string;
	users?: string;
	prevent_creation?: boolean;
	return_im?: boolean;
}

/** A response to an interaction: https://docs.slack.dev/interactivity/handling-user-interaction#message_responses */
interface Response {
	text?: string;
	blocks?: KnownBlock[];
	response_type?: "ephemeral" | "in_channel";
	replace_original?: boolean;
	delete_original?: boolean;
	thread_ts?: string;
	unfurl_links?: boolean;
	unfurl_media?: boolean;
	metadata?: MessageMetadata;
}

/**
 * Source of the schemas for all calls. The methods are divided between several types, because the package uses some
 * names twice.
 */
export interface ChatMethods {
	"chat.appendStream": ChatAppendStreamArguments;
	"chat.delete": ChatDeleteArguments;
	"chat.getPermalink": ChatGetPermalinkArguments;
	"chat.postEphemeral": EphemeralPost;
	"chat.postMessage": Post;
	"chat.startStream": ChatStartStreamArguments;
	"chat.stopStream": ChatStopStreamArguments;
	"chat.update": Update;
	response_url: Response;
}

export interface ConversationMethods {
	"conversations.history": ConversationsHistoryArguments;
	"conversations.info": ConversationsInfoArguments;
	"conversations.members": ConversationsMembersArguments;
	"conversations.open": Open;
	"conversations.replies": ConversationsRepliesArguments;
	"users.conversations": UsersConversationsArguments;
}

export interface OtherMethods {
	"agents.sessions.rename": AgentsSessionsRenameArguments;
	"agents.sessions.setStatus": AgentsSessionsSetStatusArguments;
	"apps.connections.open": Token;
	"apps.manifest.export": AppsManifestExportArguments;
	"apps.manifest.validate": AppsManifestValidateArguments;
	"assistant.threads.setStatus": AssistantThreadsSetStatusArguments;
	"assistant.threads.setSuggestedPrompts": AssistantThreadsSetSuggestedPromptsArguments;
	"assistant.threads.setTitle": AssistantThreadsSetTitleArguments;
	"auth.test": Token;
	"bots.info": BotsInfoArguments;
	"files.completeUploadExternal": FilesCompleteUploadExternalArguments;
	"files.getUploadURLExternal": Upload;
	"files.info": FilesInfoArguments;
	"reactions.add": ReactionsAddArguments;
	"reactions.remove": ReactionsAddArguments;
	"team.info": TeamInfoArguments;
	"users.info": UsersInfoArguments;
	"views.open": ViewsOpenArguments;
	"views.publish": ViewsPublishArguments;
	"views.update": ViewsUpdateArguments;
}

export interface SentEvents {
	event: SlackEvent;
}
