import { DiscordSite } from "./discord-site.ts";
import { playScenes } from "./play-scenes.ts";
import { belowChannel, typing } from "./scenes/typing.ts";

playScenes(DiscordSite, [...typing, ...belowChannel("general")]);
