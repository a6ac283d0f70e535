import type { Transaction } from "sequelize";

import { insertBatch } from "../db/batch.js";
import { Order } from "../db/models.js";

export interface OrderLine {
  number: string;
  email: string;
  cents: number;
}

/** Load orders inside the caller's transaction. */
export async function importOrders(orders: OrderLine[], transaction: Transaction): Promise<number> {
  return insertBatch(Order, orders, { transaction });
}
