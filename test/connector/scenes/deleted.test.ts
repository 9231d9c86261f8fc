import { DiscordSite } from "./discord-site.ts";
import { playScenes } from "./play-scenes.ts";
import { deleted } from "./scenes/deleted.ts";

playScenes(DiscordSite, deleted);
