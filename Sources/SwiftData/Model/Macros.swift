// SPDX-License-Identifier: MIT

internal import Observation

/// Makes a class a model: an observable object whose properties a store keeps.
///
/// Every `var` with storage is kept, apart from those marked `@Transient`. The class needs an initializer of its own;
/// a property cannot be a `let`, `lazy`, or have observers or a wrapper.
@attached(
  member, conformances: Observable, PersistentModel, Sendable,
  names: named(_$backingData), named(persistentBackingData), named(schemaMetadata), named(init),
  named(_$observationRegistrar), named(_SwiftDataNoType), named(access), named(withMutation), named(_$firstProperty),
  named(_$schemaMetadata),
  named(_currentState), named(_withMutation)
)
@attached(memberAttribute)
@attached(extension, conformances: Observable, PersistentModel, Sendable)
public macro Model() = #externalMacro(module: "SwiftDataMacros", type: "ModelMacro")

/// Says how the store keeps a property's value.
///
/// - Parameters:
///   - options: What holds for the value, such as `.unique`.
///   - originalName: The property's former name, from which a migration takes the values.
///   - hashModifier: Tells two versions of the property apart that differ in nothing else.
@attached(peer)
public macro Attribute(
  _ options: Schema.Attribute.Option..., originalName: String? = nil, hashModifier: String? = nil
) = #externalMacro(module: "SwiftDataMacros", type: "PropertyMarkerMacro")

/// Says how a property refers to other models.
///
/// - Parameters:
///   - options: What holds for the relationship, such as `.unique`.
///   - deleteRule: What happens to the other models when this one is deleted.
///   - minimumModelCount: The fewest models a collection may have.
///   - maximumModelCount: The most models a collection may have; 0 stands for no limit.
///   - originalName: The property's former name, from which a migration takes the values.
///   - inverse: The property of the other model that refers back to this one; write it on one of the two sides.
///   - hashModifier: Tells two versions of the property apart that differ in nothing else.
@attached(peer)
public macro Relationship(
  _ options: Schema.Relationship.Option..., deleteRule: Schema.Relationship.DeleteRule = .nullify,
  minimumModelCount: Int? = 0, maximumModelCount: Int? = 0, originalName: String? = nil,
  inverse: AnyKeyPath? = nil, hashModifier: String? = nil
) = #externalMacro(module: "SwiftDataMacros", type: "PropertyMarkerMacro")

/// Keeps a property out of the store; it starts with its initial value in every object.
@attached(peer)
public macro Transient() = #externalMacro(module: "SwiftDataMacros", type: "PropertyMarkerMacro")

/// Says, in the body of a `@Model` class, which properties together have different values in every two models.
@freestanding(declaration)
public macro Unique<T: PersistentModel>(_ constraints: [PartialKeyPath<T>]...) =
  #externalMacro(module: "SwiftDataMacros", type: "SchemaConstraintMacro")

/// Says, in the body of a `@Model` class, by which properties models are looked up.
@freestanding(declaration)
public macro Index<T: PersistentModel>(_ indices: [PartialKeyPath<T>]...) =
  #externalMacro(module: "SwiftDataMacros", type: "SchemaConstraintMacro")

/// Says, in the body of a `@Model` class, by which properties models are looked up, and with which kind of index.
@freestanding(declaration)
public macro Index<T: PersistentModel>(_ indices: Schema.Index<T>.Types<T>...) =
  #externalMacro(module: "SwiftDataMacros", type: "SchemaConstraintMacro")

/// Attached by ``Model()`` to every property it keeps, with the property's index among those of its class.
@attached(accessor, names: named(init), named(get), named(set))
@attached(peer, names: prefixed(_))
public macro _PersistedProperty(_ index: Int) =
  #externalMacro(module: "SwiftDataMacros", type: "PersistedPropertyMacro")

/// Attached by ``Model()`` to every property whose value goes through a transformer.
@attached(accessor, names: named(init), named(get), named(set))
@attached(peer, names: prefixed(_))
public macro _TransformablePersistedProperty(_ index: Int) =
  #externalMacro(module: "SwiftDataMacros", type: "PersistedPropertyMacro")

/// The form without an index, which expansions that were copied out of Xcode have: the value is found by its key path.
@attached(accessor, names: named(init), named(get), named(set))
@attached(peer, names: prefixed(_))
public macro _PersistedProperty() = #externalMacro(module: "SwiftDataMacros", type: "PersistedPropertyMacro")

/// The form without an index, which expansions that were copied out of Xcode have: the value is found by its key path.
@attached(accessor, names: named(init), named(get), named(set))
@attached(peer, names: prefixed(_))
public macro _TransformablePersistedProperty() =
  #externalMacro(module: "SwiftDataMacros", type: "PersistedPropertyMacro")
