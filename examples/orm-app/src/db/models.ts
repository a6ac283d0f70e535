import { DataTypes, Model, type InferAttributes, type InferCreationAttributes, type Sequelize } from "sequelize";

export class User extends Model<InferAttributes<User>, InferCreationAttributes<User>> {
  declare email: string;
  declare name: string;
}

export class Order extends Model<InferAttributes<Order>, InferCreationAttributes<Order>> {
  declare number: string;
  declare email: string;
  declare cents: number;
}

export function defineModels(sequelize: Sequelize): void {
  User.init(
    { email: { type: DataTypes.STRING, primaryKey: true }, name: DataTypes.STRING },
    { sequelize, modelName: "user" },
  );
  Order.init(
    { number: { type: DataTypes.STRING, primaryKey: true }, email: DataTypes.STRING, cents: DataTypes.INTEGER },
    { sequelize, modelName: "order" },
  );
}
