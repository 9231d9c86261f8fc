import { playScenes } from "./play-scenes.ts";
import { intake } from "./scenes/intake.ts";
import { order } from "./scenes/order.ts";
import { text } from "./scenes/text.ts";
import { SlackSite } from "./slack-site.ts";

playScenes(SlackSite, [...intake, ...order, ...text]);
