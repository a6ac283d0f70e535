import type { CreationAttributes, Model, ModelStatic, Transaction } from "sequelize";

/** One statement takes at most this many rows: more bind parameters than that and the database refuses it. */
export const CHUNK_SIZE = 500;

export interface InsertBatchOptions {
  transaction?: Transaction;
  /** Columns to overwrite where the row is already there; without it a duplicate is an error. */
  updateOnDuplicate?: string[];
}

/**
 * Insert many rows, in chunks of CHUNK_SIZE, with the application's defaults: validated, one transaction.
 * Returns the number of rows written.
 */
export async function insertBatch<M extends Model>(
  model: ModelStatic<M>,
  rows: CreationAttributes<M>[],
  options: InsertBatchOptions = {},
): Promise<number> {
  let written = 0;
  for (let start = 0; start < rows.length; start += CHUNK_SIZE) {
    const chunk = rows.slice(start, start + CHUNK_SIZE);
    const created = await model.bulkCreate(chunk, {
      validate: true,
      transaction: options.transaction,
      updateOnDuplicate: options.updateOnDuplicate as never,
    });
    written += created.length;
  }
  return written;
}
