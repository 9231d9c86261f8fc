import { playScenes } from "./play-scenes.ts";
import { order } from "./scenes/order.ts";

playScenes(order);
