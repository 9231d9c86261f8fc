import {
	type APIComponentInContainer,
	type APIMessageTopLevelComponent,
	ComponentType,
	SeparatorSpacingSize,
} from "discord-api-types/v10";
import { signedLink } from "../platform/links.ts";
import type { AttachmentRecord, MessageRecord } from "../platform/records.ts";
import type { State } from "../platform/state.ts";

type Component = APIMessageTopLevelComponent | APIComponentInContainer;

type Holder = Pick<MessageRecord, "id" | "attachments">;

/**
 * Returns a component in the form of Discord's responses: with defaults, and with addresses of files instead of
 * references.
 */
export function componentShape(state: State, holder: Holder, component: Component): object {
	switch (component.type) {
		case ComponentType.Container: {
			const { accent_color = null, spoiler = false, components } = component;
			const inside = components.map((one) => componentShape(state, holder, one));
			return { ...component, accent_color, spoiler, components: inside };
		}
		case ComponentType.Section: {
			const { accessory } = component;
			if (accessory.type !== ComponentType.Thumbnail) return component;
			return { ...component, accessory: { ...accessory, ...mediaShape(state, holder, accessory) } };
		}
		case ComponentType.MediaGallery: {
			const items = component.items.map((item) => ({ ...item, ...mediaShape(state, holder, item) }));
			return { ...component, items };
		}
		case ComponentType.Separator: {
			const { spacing = SeparatorSpacingSize.Small, divider = true } = component;
			return { ...component, spacing, divider };
		}
		case ComponentType.File: {
			const { file, spoiler = false } = component;
			const found = referredFile(holder.attachments, file.url);
			const [name, size] = [found?.name ?? null, found?.bytes.byteLength ?? null];
			return { ...component, file: addressOf(state, holder, file.url), spoiler, name, size };
		}
		default:
			return component;
	}
}

interface Media {
	readonly media: { readonly url: string };
	readonly description?: string | null;
	readonly spoiler?: boolean;
}

function mediaShape(
	state: State,
	holder: Holder,
	{ media, description = null, spoiler = false }: Media,
): object {
	return { media: addressOf(state, holder, media.url), description, spoiler };
}

/**
 * Returns the fields of a media item, with the address of its file:
 * https://discord.com/developers/docs/components/reference#unfurled-media-item-structure
 */
function addressOf(state: State, holder: Holder, url: string): object {
	const file = referredFile(holder.attachments, url);
	if (!file) return { id: holder.id, url, proxy_url: url };
	const link = signedLink(state, file);
	return { id: file.id, url: link, proxy_url: link, content_type: file.type, attachment_id: file.id };
}

function referredFile(files: readonly AttachmentRecord[], url: string): AttachmentRecord | undefined {
	return files.find(({ name }) => url === `attachment://${name}`);
}
