import { DiscordSite } from "./discord-site.ts";
import { playScenes } from "./play-scenes.ts";
import { edits } from "./scenes/edits.ts";

playScenes(DiscordSite, edits);
